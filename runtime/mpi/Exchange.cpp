#include "Exchange.h"

#include "../lib/Sum.h"

#include "spmd/axis.h"

#include <climits>

namespace spmd::mpi {

/// Bytes of a part. With fewer the number of messages counts, and MPI may take
/// fewer of them than there are ranks.
static constexpr std::int64_t PaysFrom = 8 << 10;

Exchange::Exchange(int Ranks) : Summands(static_cast<std::size_t>(Ranks)) {
  for (std::vector<int> *V : {&Sent, &SentOffsets, &Received, &ReceivedOffsets})
    V->resize(Summands.size());
}

std::int64_t Exchange::longest(const Counts &Parts, int Ranks) {
  std::int64_t Most = 0;
  for (int R = 0; R < Ranks; ++R)
    Most = std::max(Most, Parts[R]);
  return Most;
}

bool isInPlace(const Call &C, const Counts &Parts, int Self, const void *Piece,
               const void *Whole) {
  return Piece ==
         static_cast<const char *>(Whole) +
             Parts.before(Self) * static_cast<std::int64_t>(sizeOf(C.Type));
}

bool Exchange::pays(const Call &C, const Counts &Parts, bool InPlace) {
  const int Ranks = C.On.size();
  const auto Size = static_cast<std::int64_t>(sizeOf(C.Type));
  // MPI counts in int; a rank receives its part from every other.
  return (InPlace || Parts.before(Ranks) * Size >= PaysFrom * Ranks) &&
         longest(Parts, Ranks) * Ranks <= INT_MAX;
}

int Exchange::set(const Call &C, const Counts &Parts, int Self, const void *In,
                  void *Into, std::int64_t Done, std::int64_t Slice) {
  const auto Now = [&](int Rank) {
    return static_cast<int>(
        std::clamp<std::int64_t>(Parts[Rank] - Done, 0, Slice));
  };
  const auto Size = static_cast<std::int64_t>(sizeOf(C.Type));
  const int Mine = Now(Self);
  for (int Rank = 0; Rank < C.On.size(); ++Rank) {
    const auto R = static_cast<std::size_t>(Rank);
    const bool Stays = Rank == Self;
    const std::int64_t Begin = Now(Rank) ? Parts.before(Rank) + Done : 0;
    Sent[R] = Stays ? 0 : Now(Rank);
    SentOffsets[R] = static_cast<int>(Begin);
    Received[R] = Stays ? 0 : Mine;
    ReceivedOffsets[R] = Rank * Mine;
    Summands[R] = Stays ? static_cast<const char *>(In) + Begin * Size
                        : static_cast<char *>(Into) + Rank * Mine * Size;
  }
  return Mine;
}

void Exchange::sum(DType Type, int Count, void *To) const {
  detail::sum(Type, Summands.data(), static_cast<int>(Summands.size()), 0,
              Count, &To, 1, 0);
}

} // namespace spmd::mpi
