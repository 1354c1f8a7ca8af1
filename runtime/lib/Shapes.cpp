#include "spmd/shapes.h"

#include <numeric>

namespace spmd::detail {

void failOn(OperatorKind Op, const Axis &A, const std::string &What) {
  fail("spmd::" + std::string(rules::operatorName(Op)) + " over " +
       describe(A) + ": " + What);
}

int dimOf(OperatorKind Op, const Axis &A, const Placement &P, const Shape &Of) {
  const int Rank = static_cast<int>(Of.size());
  const int Dim = P.Dim < 0 ? P.Dim + Rank : P.Dim;
  if (Dim < 0 || Dim >= Rank)
    failOn(Op, A,
           "S(" + std::to_string(P.Dim) + ") of a tensor of shape " + Of.str());
  return Dim;
}

/// The sizes of \p P, checked to be one per rank.
static const ChunkSizes *sizesOf(OperatorKind Op, const Axis &A,
                                 const Placement &P) {
  if (!P.Sizes)
    return nullptr;
  const ChunkSizes &Sizes = *P.Sizes;
  if (Sizes.size() != static_cast<std::size_t>(A.size()))
    failOn(Op, A,
           "S(" + std::to_string(P.Dim) + ") has " +
               std::to_string(Sizes.size()) + " chunk sizes");
  for (std::int64_t Size : Sizes)
    if (Size < 0)
      failOn(Op, A, "a chunk size of " + std::to_string(Size));
  return &Sizes;
}

static std::int64_t sum(const ChunkSizes &Sizes) {
  return std::accumulate(Sizes.begin(), Sizes.end(), std::int64_t(0));
}

Shape pieceOf(OperatorKind Op, const Axis &A, const Placement &P, Shape Of,
              int Rank) {
  if (!P.HasDim) {
    if (Of.empty() || Of[0] != A.size())
      failOn(Op, A,
             "V takes one entry of the leading dim per rank, the shape is " +
                 Of.str());
    Of.erase(0);
    return Of;
  }
  const int Dim = dimOf(Op, A, P, Of);
  const auto Misfit = [&](const std::string &Why) {
    failOn(Op, A, "dim " + std::to_string(Dim) + " of shape " + Of.str() + Why);
  };
  if (const ChunkSizes *Sizes = sizesOf(Op, A, P)) {
    if (sum(*Sizes) != Of[Dim])
      Misfit(" is not the sum of its chunks, " + std::to_string(sum(*Sizes)));
    Of[Dim] = (*Sizes)[static_cast<std::size_t>(Rank)];
    return Of;
  }
  if (Of[Dim] % A.size() != 0)
    Misfit(" does not divide evenly: give the chunks' sizes, S(" +
           std::to_string(P.Dim) + ", {…})");
  Of[Dim] /= A.size();
  return Of;
}

Shape wholeOf(OperatorKind Op, const Axis &A, const Placement &P, Shape Of) {
  if (!P.HasDim) {
    Of.insert(0, A.size());
    return Of;
  }
  const int Dim = dimOf(Op, A, P, Of);
  const ChunkSizes *Sizes = sizesOf(Op, A, P);
  if (!Sizes) {
    Of[Dim] *= A.size();
    return Of;
  }
  const std::int64_t Mine = (*Sizes)[static_cast<std::size_t>(A.rank())];
  if (Of[Dim] != Mine)
    failOn(Op, A,
           "dim " + std::to_string(Dim) + " of shape " + Of.str() +
               " is not this rank's chunk, " + std::to_string(Mine));
  Of[Dim] = sum(*Sizes);
  return Of;
}

std::int64_t chunkBegin(const Placement &P, std::int64_t Each, int Rank) {
  if (!P.Sizes)
    return Rank * Each;
  return std::accumulate(P.Sizes->begin(), P.Sizes->begin() + Rank,
                         std::int64_t(0));
}

Shape resultShape(OperatorKind Op, const Axis &A, const Placement &Src,
                  const Placement &Dst, const Shape &In) {
  switch (Op) {
  case OperatorKind::AllReduce:
  case OperatorKind::Reinterpret:
    return In;
  case OperatorKind::AllGather:
    return wholeOf(Op, A, Src, In);
  case OperatorKind::ReduceScatter:
    return pieceOf(Op, A, Dst, In, A.rank());
  case OperatorKind::AllToAll:
    if (Src.HasDim)
      return pieceOf(Op, A, Dst, wholeOf(Op, A, Src, In), A.rank());
    pieceOf(Op, A, Dst, In, A.rank());
    return In;
  case OperatorKind::Convert:
    if (Dst.Type == LocalType::V)
      return pieceOf(Op, A, Dst, In, A.rank());
    if (Src.Type == LocalType::V)
      return wholeOf(Op, A, Src, In);
    return In;
  }
  return In;
}

} // namespace spmd::detail
