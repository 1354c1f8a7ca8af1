//===- Sharding.cpp - Whole tensors and what each rank has of them --------===//

#include "spmd/oracle/Sharding.h"

#include "spmd/rules/ShardRange.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace spmd::rules;

namespace spmd::oracle {

int numRanks(const MeshSizes &M) {
  int Out = 1;
  for (int Size : M)
    Out *= Size;
  return Out;
}

int coordinate(const MeshSizes &M, int Rank, AxisId A) {
  for (std::size_t Inner = M.size() - 1; Inner != A; --Inner)
    Rank /= M[Inner];
  return Rank % M[A];
}

bool ShardLayout::shards(AxisId A) const {
  return llvm::any_of(
      Dims, [&](const DimAxes &D) { return llvm::is_contained(D, A); });
}
bool ShardLayout::isPartial(AxisId A) const {
  return llvm::is_contained(Partial, A);
}

int ShardLayout::count(const MeshSizes &M, std::size_t Dim) const {
  int Out = 1;
  for (AxisId A : Dims[Dim])
    Out *= M[A];
  return Out;
}

std::string ShardLayout::str(const Shape &Sizes) const {
  const auto Name = [](AxisId A) { return std::string(1, char('a' + A)); };
  std::string Out = "[";
  for (std::size_t D = 0; D != Dims.size(); ++D) {
    Out += (D ? ", " : "") + std::to_string(Sizes[D]);
    if (Dims[D].size() == 1)
      Out += "@" + Name(Dims[D][0]);
    if (Dims[D].size() == 2)
      Out += "@(" + Name(Dims[D][0]) + "," + Name(Dims[D][1]) + ")";
  }
  Out += "]";
  for (AxisId A : Partial)
    Out += (A == Partial.front() ? "{" : ", ") + Name(A) + ": P";
  return Partial.empty() ? Out : Out + "}";
}

std::vector<ShardLayout> allLayouts(unsigned Rank) {
  // On each axis: the same, a pending sum, or sharded along a dim.
  const unsigned States = Rank + 2;
  std::vector<ShardLayout> Out;
  for (unsigned Code = 0; Code != States * States; ++Code) {
    ShardLayout L;
    L.Dims.resize(Rank);
    const unsigned Of[] = {Code / States, Code % States};
    for (AxisId A = 0; A != 2; ++A)
      if (Of[A] == 1)
        L.Partial.push_back(A);
      else if (Of[A] > 1)
        L.Dims[Of[A] - 2].push_back(A);
    Out.push_back(L);
    if (Of[0] != Of[1] || Of[0] < 2)
      continue;
    std::swap(L.Dims[Of[0] - 2][0], L.Dims[Of[0] - 2][1]);
    Out.push_back(std::move(L));
  }
  return Out;
}

Tensor chunk(const Tensor &X, int Dim, int Count, int I) {
  const auto [Begin, End] =
      rules::shardOf({0, X.Dims[static_cast<unsigned>(Dim)]}, Count, I);
  return slice(X, Dim, static_cast<int>(Begin), static_cast<int>(End - Begin));
}

Tensor shardOf(const Tensor &Whole, const ShardLayout &L, const MeshSizes &M,
               int Rank) {
  Tensor Out = Whole;
  for (std::size_t D = 0; D != L.Dims.size(); ++D)
    for (AxisId A : L.Dims[D])
      Out = chunk(Out, static_cast<int>(D), M[A], coordinate(M, Rank, A));
  return Out;
}

namespace {

/// The ranks that differ only where \p L has a pending sum, by their first.
std::map<int, std::vector<int>> addends(const ShardLayout &L,
                                        const MeshSizes &M) {
  std::map<int, std::vector<int>> Out;
  for (int R = 0; R != numRanks(M); ++R) {
    int First = R, Stride = 1;
    for (std::size_t A = M.size(); A-- != 0; Stride *= M[A])
      if (L.isPartial(static_cast<AxisId>(A)))
        First -= coordinate(M, R, static_cast<AxisId>(A)) * Stride;
    Out[First].push_back(R);
  }
  return Out;
}

} // namespace

Ranks distribute(const Tensor &Whole, const ShardLayout &L, const MeshSizes &M,
                 std::mt19937 &Random) {
  Ranks Out(static_cast<std::size_t>(numRanks(M)));
  for (const auto &[First, Group] : addends(L, M)) {
    Tensor Left = shardOf(Whole, L, M, First);
    for (int R : Group) {
      if (R == First)
        continue;
      Tensor Part = Left;
      for (Number &X : Part.Data)
        X = static_cast<Number>(Random() % 15) - 7;
      Left = Left + Number(-1) * Part;
      Out[static_cast<std::size_t>(R)] = std::move(Part);
    }
    Out[static_cast<std::size_t>(First)] = std::move(Left);
  }
  // Sums of ranks that are the same on an axis are the same, addend by addend.
  for (int R = 0; R != numRanks(M); ++R) {
    int Same = R, Stride = 1;
    for (std::size_t A = M.size(); A-- != 0; Stride *= M[A])
      if (!L.isPartial(static_cast<AxisId>(A)) &&
          !L.shards(static_cast<AxisId>(A)))
        Same -= coordinate(M, R, static_cast<AxisId>(A)) * Stride;
    Out[static_cast<std::size_t>(R)] = Out[static_cast<std::size_t>(Same)];
  }
  return Out;
}

bool reassembles(const Ranks &X, const Tensor &Whole, const ShardLayout &L,
                 const MeshSizes &M) {
  for (const auto &[First, Group] : addends(L, M)) {
    Tensor Sum = X[static_cast<std::size_t>(First)];
    const Tensor Expected = shardOf(Whole, L, M, First);
    if (Sum.Dims != Expected.Dims)
      return false;
    for (int R : Group) {
      const Tensor &Addend = X[static_cast<std::size_t>(R)];
      if (Addend.Dims != Sum.Dims)
        return false;
      if (R != First)
        Sum = Sum + Addend;
    }
    if (!(Sum == Expected))
      return false;
  }
  return true;
}

} // namespace spmd::oracle
