#include "spmd/shapes.h"

#include <numeric>

namespace spmd::detail {

int dimOf(const Call &C, const Placement &P, const Shape &Of) {
  const int Rank = static_cast<int>(Of.size());
  const int Dim = P.Dim < 0 ? P.Dim + Rank : P.Dim;
  if (Dim < 0 || Dim >= Rank)
    failOn(C,
           "S(" + std::to_string(P.Dim) + ") of a tensor of shape " + Of.str());
  return Dim;
}

/// The sizes of \p P, checked to be one per rank.
static const ChunkSizes *sizesOf(const Call &C, const Placement &P) {
  if (!P.Sizes)
    return nullptr;
  const ChunkSizes &Sizes = *P.Sizes;
  if (Sizes.size() != static_cast<std::size_t>(C.On.size()))
    failOn(C, "S(" + std::to_string(P.Dim) + ") has " +
                  std::to_string(Sizes.size()) + " chunk sizes");
  for (std::int64_t Size : Sizes)
    if (Size < 0)
      failOn(C, "a chunk size of " + std::to_string(Size));
  return &Sizes;
}

static std::int64_t sum(const ChunkSizes &Sizes) {
  return std::accumulate(Sizes.begin(), Sizes.end(), std::int64_t(0));
}

Shape pieceOf(const Call &C, const Placement &P, Shape Of, int Rank) {
  if (!P.HasDim) {
    if (Of.empty() || Of[0] != C.On.size())
      failOn(C, "V takes one entry of the leading dim per rank, the shape is " +
                    Of.str());
    Of.erase(0);
    return Of;
  }
  const int Dim = dimOf(C, P, Of);
  const auto Misfit = [&](const std::string &Why) {
    failOn(C, "dim " + std::to_string(Dim) + " of shape " + Of.str() + Why);
  };
  if (const ChunkSizes *Sizes = sizesOf(C, P)) {
    if (sum(*Sizes) != Of[Dim])
      Misfit(" is not the sum of its chunks, " + std::to_string(sum(*Sizes)));
    Of[Dim] = (*Sizes)[static_cast<std::size_t>(Rank)];
    return Of;
  }
  if (Of[Dim] % C.On.size() != 0)
    Misfit(" does not divide evenly: give the chunks' sizes, S(" +
           std::to_string(P.Dim) + ", {…})");
  Of[Dim] /= C.On.size();
  return Of;
}

Shape wholeOf(const Call &C, const Placement &P, Shape Of) {
  if (!P.HasDim) {
    Of.insert(0, C.On.size());
    return Of;
  }
  const int Dim = dimOf(C, P, Of);
  const ChunkSizes *Sizes = sizesOf(C, P);
  if (!Sizes) {
    Of[Dim] *= C.On.size();
    return Of;
  }
  const std::int64_t Mine = (*Sizes)[static_cast<std::size_t>(C.On.rank())];
  if (Of[Dim] != Mine)
    failOn(C, "dim " + std::to_string(Dim) + " of shape " + Of.str() +
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

/// An exchange by counts, of rows that no two ranks need to have alike.
static bool isByCounts(const Call &C) {
  return C.Op == OperatorKind::AllToAll && C.Sent;
}

static void checkCounts(const Call &C, const char *Which,
                        const ChunkSizes &Counts) {
  const std::string Named = Which;
  if (Counts.size() != static_cast<std::size_t>(C.On.size()))
    failOn(C, Named + " has " + std::to_string(Counts.size()) +
                  " entries, one for each rank is needed");
  for (std::size_t R = 0; R < Counts.size(); ++R)
    if (Counts[R] < 0)
      failOn(C, Named + "[" + std::to_string(R) + "] is " +
                    std::to_string(Counts[R]));
}

static bool sums(OperatorKind Op) {
  return Op == OperatorKind::AllReduce || Op == OperatorKind::ReduceScatter ||
         Op == OperatorKind::Reduce;
}

void checkDetails(const Call &C) {
  if (C.Mean && isWhole(C.Type))
    failOn(C, NotScaled);
  if (C.Type == DType::Bool && sums(C.Op))
    failOn(C, "bools have no sum: all_reduce_max is any of them, "
              "all_reduce_min all");
  if (rules::hasRoot(C.Op) && (C.Root < 0 || C.Root >= C.On.size()))
    failOn(C, "root " + std::to_string(C.Root) + " is no rank of it");
  if (!isByCounts(C))
    return;
  checkCounts(C, "send_counts", *C.Sent);
  checkCounts(C, "recv_counts", *C.Received);
  if (C.In.empty() || sum(*C.Sent) != C.In[0])
    failOn(C, "send_counts add up to " + std::to_string(sum(*C.Sent)) +
                  ", not to dim 0 of " + C.In.str());
}

Shape wholeShape(const Call &C) {
  if (isByCounts(C)) {
    Shape Any = C.In;
    Any[0] = Shape::Unknown;
    return Any;
  }
  const bool Grows =
      C.Op == OperatorKind::AllGather ||
      (C.Op == OperatorKind::AllToAll && C.Src.HasDim) ||
      (C.Op == OperatorKind::Convert && C.Src.Type == LocalType::V);
  return Grows ? wholeOf(C, C.Src, C.In) : C.In;
}

Shape resultShape(const Call &C) {
  const int Rank = C.On.rank();
  if (isByCounts(C)) {
    Shape Rows = C.In;
    Rows[0] = sum(*C.Received);
    return Rows;
  }
  switch (C.Op) {
  case OperatorKind::AllGather:
    return wholeShape(C);
  case OperatorKind::ReduceScatter:
    return pieceOf(C, C.Dst, C.In, Rank);
  case OperatorKind::AllToAll:
    if (C.Src.HasDim)
      return pieceOf(C, C.Dst, wholeShape(C), Rank);
    pieceOf(C, C.Dst, C.In, Rank);
    break;
  case OperatorKind::Convert:
    if (C.Dst.Type == LocalType::V)
      return pieceOf(C, C.Dst, C.In, Rank);
    if (C.Src.Type == LocalType::V)
      return wholeShape(C);
    break;
  default: // the shape stays
    break;
  }
  return C.In;
}

} // namespace spmd::detail
