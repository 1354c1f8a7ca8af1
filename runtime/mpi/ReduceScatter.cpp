// Open MPI sums all parts on one rank and hands them out. Here every rank sends
// each of the others its part and sums what it is sent, in the order of ranks:
// no part moves twice, and no rank does the work of the others.

#include "CheckMpi.h"
#include "Datatype.h"
#include "Watchdog.h"

#include "../lib/Sum.h"

#include "spmd/mpi.h"

#include <climits>

namespace spmd {
namespace {

/// Bytes of a part. With fewer the number of messages counts, and MPI may take
/// fewer of them than there are ranks.
constexpr std::int64_t ExchangeFrom = 8 << 10;
/// Bytes that are received and then summed: few enough to stay in the caches.
constexpr std::int64_t AtOnce = 1 << 20;

std::int64_t longest(const Counts &Parts, int Ranks) {
  std::int64_t Most = 0;
  for (int R = 0; R < Ranks; ++R)
    Most = std::max(Most, Parts[R]);
  return Most;
}

} // namespace

void MpiCommunicator::reduceScatter(const Call &C, const void *In, void *Out,
                                    const Counts &Parts) {
  come(C);
  const mpi::Watched Under;
  const std::int64_t Whole = Parts.before(Ranks);
  const auto Size = static_cast<std::int64_t>(sizeOf(C.Type));
  if (Whole * Size >= ExchangeFrom * Ranks && Whole <= INT_MAX)
    return exchangeAndSum(C, static_cast<const char *>(In),
                          static_cast<char *>(Out), Parts);
  const MPI_Datatype Type = mpi::datatype(C.Type);
  const MPI_Op Sum = mpi::sum(C.Type);
  if (Parts.even())
    return mpi::check(C,
                      MPI_Reduce_scatter_block(
                          In, Out, mpi::asInt(C, Parts[Self]), Type, Sum, Comm),
                      "MPI_Reduce_scatter_block");
  mpi::spread(C, Parts, ReceivedCounts, ReceivedOffsets);
  mpi::check(
      C, MPI_Reduce_scatter(In, Out, ReceivedCounts.data(), Type, Sum, Comm),
      "MPI_Reduce_scatter");
}

void MpiCommunicator::exchangeAndSum(const Call &C, const char *In, char *Out,
                                     const Counts &Parts) {
  const auto Size = static_cast<std::int64_t>(sizeOf(C.Type));
  const std::int64_t Most = longest(Parts, Ranks);
  const std::int64_t Slice = std::max(ExchangeFrom, AtOnce / Ranks) / Size;
  auto *const Received = static_cast<char *>(memory().scratch(
      1, static_cast<std::size_t>(std::min(Slice, Most) * Size * Ranks)));
  const MPI_Datatype Type = mpi::datatype(C.Type);
  for (std::int64_t Done = 0; Done < Most; Done += Slice) {
    const auto Now = [&](int Rank) {
      return static_cast<int>(
          std::clamp<std::int64_t>(Parts[Rank] - Done, 0, Slice));
    };
    const int Mine = Now(Self);
    for (int R = 0; R < Ranks; ++R) {
      const auto I = static_cast<std::size_t>(R);
      // What a rank has for itself stays where it is.
      SentCounts[I] = R == Self ? 0 : Now(R);
      SentOffsets[I] = static_cast<int>(Parts.before(R) + Done);
      ReceivedCounts[I] = R == Self ? 0 : Mine;
      ReceivedOffsets[I] = R * Mine;
      Summands[I] = R == Self ? In + SentOffsets[I] * Size
                              : Received + ReceivedOffsets[I] * Size;
    }
    mpi::check(C,
               MPI_Alltoallv(In, SentCounts.data(), SentOffsets.data(), Type,
                             Received, ReceivedCounts.data(),
                             ReceivedOffsets.data(), Type, Comm),
               "MPI_Alltoallv");
    void *const To = Out + Done * Size;
    detail::sum(C.Type, Summands.data(), Ranks, 0, Mine, &To, 1, 0);
  }
}

} // namespace spmd
