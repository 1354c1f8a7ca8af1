#include "CheckMpi.h"
#include "Datatype.h"
#include "Exchange.h"
#include "Watchdog.h"

#include "spmd/mpi.h"

namespace spmd {

/// Bytes that are received and then summed: few enough to stay in the caches.
static constexpr std::int64_t AtOnce = 1 << 20;

void MpiCommunicator::reduceScatter(const Call &C, const void *In, void *Out,
                                    const Counts &Parts) {
  come(C);
  const mpi::WatchdogScope Under;
  if (mpi::Exchange::pays(C, Parts, mpi::isInPlace(C, Parts, Self, Out, In)))
    return exchangeAndSum(C, In, static_cast<char *>(Out), Parts);
  const MPI_Datatype Type = mpi::datatype(C.Type);
  const MPI_Op Sum = mpi::reduction(C);
  if (Parts.even())
    return mpi::check(C,
                      MPI_Reduce_scatter_block(
                          In, Out, mpi::asInt(C, Parts[Self]), Type, Sum, Comm),
                      "MPI_Reduce_scatter_block");
  mpi::spread(C, Parts, Kept->Received, Kept->ReceivedOffsets);
  mpi::check(
      C, MPI_Reduce_scatter(In, Out, Kept->Received.data(), Type, Sum, Comm),
      "MPI_Reduce_scatter");
}

void MpiCommunicator::exchangeAndSum(const Call &C, const void *In, char *Out,
                                     const Counts &Parts) {
  const std::int64_t Most = mpi::Exchange::longest(Parts, Ranks);
  const auto Size = static_cast<std::int64_t>(sizeOf(C.Type));
  const std::int64_t Slice =
      std::min(Most, std::max<std::int64_t>(1, AtOnce / Ranks / Size));
  void *const Received =
      memory().scratch(1, static_cast<std::size_t>(Slice * Size * Ranks));
  const MPI_Datatype Type = mpi::datatype(C.Type);
  for (std::int64_t Done = 0; Done < Most; Done += Slice) {
    const int Mine = Kept->set(C, Parts, Self, In, Received, Done, Slice);
    mpi::check(C,
               MPI_Alltoallv(In, Kept->Sent.data(), Kept->SentOffsets.data(),
                             Type, Received, Kept->Received.data(),
                             Kept->ReceivedOffsets.data(), Type, Comm),
               "MPI_Alltoallv");
    Kept->sum(C.Type, Mine, Out + Done * Size);
  }
}

} // namespace spmd
