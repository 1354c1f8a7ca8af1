//===- Sharding.cpp - Whole tensors and what each rank has of them --------===//

#include "spmd/oracle/Sharding.h"

#include "spmd/planner/AllLayouts.h"

#include <map>

namespace spmd::oracle {

DeviceMesh meshOf(int A, int B) {
  DeviceMesh Out;
  Out.All = {{"a", A}, {"b", B}};
  return Out;
}

std::vector<planner::Layout> allLayouts(unsigned Rank, const DeviceMesh &M) {
  return planner::allLayouts(Rank, M, /*WithPartial=*/true);
}

std::string print(const planner::Layout &L, const Shape &Sizes,
                  const DeviceMesh &M) {
  return planner::print(L, planner::Shape(Sizes.begin(), Sizes.end()), M);
}

Tensor chunk(const Tensor &X, int Dim, int Count, int I) {
  const auto [Begin, End] =
      rules::shardOf({0, X.Dims[static_cast<unsigned>(Dim)]}, Count, I);
  return slice(X, Dim, static_cast<int>(Begin), static_cast<int>(End - Begin));
}

Tensor shardOf(const Tensor &Whole, const planner::Layout &L,
               const DeviceMesh &M, int Rank) {
  Tensor Out = Whole;
  for (std::size_t D = 0; D != L.Dims.size(); ++D)
    for (planner::AxisIndex A : L.Dims[D])
      Out =
          chunk(Out, static_cast<int>(D), M.All[A].Size, M.coordinate(Rank, A));
  return Out;
}

namespace {

/// The ranks that differ only where \p L has a pending sum, by their first.
std::map<int, std::vector<int>> addends(const planner::Layout &L,
                                        const DeviceMesh &M) {
  std::map<int, std::vector<int>> Out;
  for (int R = 0; R != M.ranks(); ++R) {
    int First = R, Stride = 1;
    for (std::size_t A = M.All.size(); A-- != 0; Stride *= M.All[A].Size)
      if (L.isPartial(static_cast<planner::AxisIndex>(A)))
        First -= M.coordinate(R, static_cast<planner::AxisIndex>(A)) * Stride;
    Out[First].push_back(R);
  }
  return Out;
}

} // namespace

Ranks distribute(const Tensor &Whole, const planner::Layout &L,
                 const DeviceMesh &M, std::mt19937 &Random) {
  Ranks Out(static_cast<std::size_t>(M.ranks()));
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
  for (int R = 0; R != M.ranks(); ++R) {
    int Same = R, Stride = 1;
    for (std::size_t A = M.All.size(); A-- != 0; Stride *= M.All[A].Size)
      if (!L.isPartial(static_cast<planner::AxisIndex>(A)) &&
          !L.shards(static_cast<planner::AxisIndex>(A)))
        Same -= M.coordinate(R, static_cast<planner::AxisIndex>(A)) * Stride;
    Out[static_cast<std::size_t>(R)] = Out[static_cast<std::size_t>(Same)];
  }
  return Out;
}

bool reassembles(const Ranks &X, const Tensor &Whole, const planner::Layout &L,
                 const DeviceMesh &M) {
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
