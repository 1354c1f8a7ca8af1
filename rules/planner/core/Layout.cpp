//===- Layout.cpp - Where the elements of a tensor are --------------------===//

#include "spmd/planner/Layout.h"

using spmd::rules::ElementRange;
using spmd::rules::lengthOf;
using spmd::rules::shardOf;

namespace spmd::planner {

int DeviceMesh::ranks() const {
  int Out = 1;
  for (const Axis &A : All)
    Out *= A.Size;
  return Out;
}

int DeviceMesh::coordinate(int Rank, AxisIndex A) const {
  for (std::size_t I = All.size(); --I != A;)
    Rank /= All[I].Size;
  return Rank % All[A].Size;
}

int DeviceMesh::sizeOf(const Axes &Of) const {
  int Out = 1;
  for (AxisIndex A : Of)
    Out *= All[A].Size;
  return Out;
}

bool Layout::shards(AxisIndex A) const {
  return std::any_of(Dims.begin(), Dims.end(),
                     [&](const Axes &D) { return contains(D, A); });
}

bool Layout::isPartial(AxisIndex A) const { return contains(Partial, A); }

std::int64_t Block::size() const {
  std::int64_t Out = 1;
  for (const ElementRange &D : Dims)
    Out *= lengthOf(D);
  return Out;
}

bool Block::contains(const Block &Inner) const {
  return Inner.size() == 0 || overlap(*this, Inner) == Inner.size();
}

std::int64_t overlap(const Block &A, const Block &B) {
  std::int64_t Out = 1;
  for (std::size_t D = 0; D != A.Dims.size(); ++D) {
    const auto Begin = std::max(A.Dims[D].first, B.Dims[D].first);
    const auto End = std::min(A.Dims[D].second, B.Dims[D].second);
    if (End <= Begin)
      return 0;
    Out *= End - Begin;
  }
  return Out;
}

Blocks blocksOf(const Layout &L, const Shape &S, const DeviceMesh &M) {
  const auto Ranks = static_cast<unsigned>(M.ranks());
  Block Whole;
  for (std::int64_t N : S)
    Whole.Dims.push_back({0, N});
  Blocks Out(Ranks, Whole);
  ShortVector<ElementRange, 64> Shards, Cut;
  for (std::size_t D = 0; D != L.Dims.size(); ++D) {
    if (L.Dims[D].empty())
      continue;
    Shards.assign(1, {0, S[D]});
    struct Digit {
      unsigned Size, Stride;
    };
    ShortVector<Digit, 3> Digits;
    for (AxisIndex A : L.Dims[D]) {
      const int Size = M.All[A].Size;
      Cut.clear();
      for (const ElementRange &Of : Shards)
        for (int Part = 0; Part != Size; ++Part)
          Cut.push_back(shardOf(Of, Size, Part));
      std::swap(Shards, Cut);
      unsigned Stride = 1;
      for (std::size_t I = A + 1; I != M.All.size(); ++I)
        Stride *= static_cast<unsigned>(M.All[I].Size);
      Digits.push_back({static_cast<unsigned>(Size), Stride});
    }
    for (unsigned R = 0; R != Ranks; ++R) {
      std::size_t Index = 0;
      for (const Digit &X : Digits)
        Index = Index * X.Size + R / X.Stride % X.Size;
      Out[R].Dims[D] = Shards[Index];
    }
  }
  return Out;
}

std::int64_t largestBlock(const Layout &L, const Shape &S,
                          const DeviceMesh &M) {
  // No shard of a dim is larger than the first.
  std::int64_t Out = 1;
  for (std::size_t D = 0; D != L.Dims.size(); ++D) {
    ElementRange First{0, S[D]};
    for (AxisIndex A : L.Dims[D])
      First = shardOf(First, M.All[A].Size, 0);
    Out *= lengthOf(First);
  }
  return Out;
}

} // namespace spmd::planner
