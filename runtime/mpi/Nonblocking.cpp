// Operators that are started, by MPI's nonblocking calls.

#include "CheckMpi.h"
#include "Datatype.h"
#include "Exchange.h"
#include "FailureMessages.h"
#include "OperatorCall.h"

#include "spmd/mpi.h"

#include <climits>

namespace spmd {

/// What MPI reads until the operator is done.
struct MpiCommunicator::Requests final : Started::State {
  explicit Requests(int Ranks) : Kept(std::make_unique<mpi::Exchange>(Ranks)) {}
  /// After a failure MPI may still read the counts.
  ~Requests() override {
    if (!mpi::failure().empty())
      Kept.release();
  }
  MPI_Request *add() { return &All.emplace_back(MPI_REQUEST_NULL); }

  std::vector<MPI_Request> All;
  std::unique_ptr<mpi::Exchange> Kept;
  /// Elements to be summed after an exchange.
  int ToSum = 0;
};

void MpiCommunicator::beginReduceScatter(Started &S, Requests &To) {
  const Call &C = S.C;
  const Transfer &Data = S.Data;
  const MPI_Datatype Type = mpi::datatype(C.Type);
  const MPI_Op Sum = mpi::reduction(C);
  const Counts &Parts = Data.Parts;
  if (mpi::Exchange::pays(C, Parts,
                          mpi::isInPlace(C, Parts, Self, Data.Out, Data.In))) {
    const std::int64_t Mine = Parts[Self];
    void *const Into =
        S.scratch(1, static_cast<std::size_t>(Mine * Ranks) * sizeOf(C.Type));
    To.ToSum = To.Kept->set(C, Parts, Self, Data.In, Into, 0, INT_MAX);
    return mpi::check(C,
                      MPI_Ialltoallv(Data.In, To.Kept->Sent.data(),
                                     To.Kept->SentOffsets.data(), Type, Into,
                                     To.Kept->Received.data(),
                                     To.Kept->ReceivedOffsets.data(), Type,
                                     Comm, To.add()),
                      "MPI_Ialltoallv");
  }
  if (Parts.even())
    return mpi::check(C,
                      MPI_Ireduce_scatter_block(Data.In, Data.Out,
                                                mpi::asInt(C, Parts[Self]),
                                                Type, Sum, Comm, To.add()),
                      "MPI_Ireduce_scatter_block");
  mpi::spread(C, Parts, To.Kept->Sent, To.Kept->SentOffsets);
  return mpi::check(C,
                    MPI_Ireduce_scatter(Data.In, Data.Out, To.Kept->Sent.data(),
                                        Type, Sum, Comm, To.add()),
                    "MPI_Ireduce_scatter");
}

void MpiCommunicator::begin(Started &S, Requests &To) {
  using rules::OperatorKind;
  const Call &C = S.C;
  const Transfer &Data = S.Data;
  const MPI_Datatype Type = mpi::datatype(C.Type);
  const Counts &Parts = Data.Parts, &Received = Data.Received;
  switch (detail::carrierOf(C.Op)) {
  case OperatorKind::AllReduce: {
    const auto Size = static_cast<std::int64_t>(sizeOf(C.Type));
    for (std::int64_t At = 0; At < Data.Count; At += INT_MAX) {
      const void *From = static_cast<const char *>(Data.In) + At * Size;
      mpi::check(C,
                 MPI_Iallreduce(Data.In == Data.Out ? MPI_IN_PLACE : From,
                                static_cast<char *>(Data.Out) + At * Size,
                                static_cast<int>(std::min<std::int64_t>(
                                    INT_MAX, Data.Count - At)),
                                Type, mpi::reduction(C), Comm, To.add()),
                 "MPI_Iallreduce");
    }
    return;
  }
  case OperatorKind::AllGather: {
    if (C.Op == OperatorKind::Broadcast)
      return mpi::check(C,
                        MPI_Ibcast(prepareBroadcast(C, Data.In, Data.Out),
                                   mpi::asInt(C, Parts[C.Root]), Type, C.Root,
                                   Comm, To.add()),
                        "MPI_Ibcast");
    const int Mine = mpi::asInt(C, Parts[Self]);
    const void *const From = mpi::isInPlace(C, Parts, Self, Data.In, Data.Out)
                                 ? MPI_IN_PLACE
                                 : Data.In;
    if (Parts.even())
      return mpi::check(C,
                        MPI_Iallgather(From, Mine, Type, Data.Out, Mine, Type,
                                       Comm, To.add()),
                        "MPI_Iallgather");
    mpi::spread(C, Parts, To.Kept->Sent, To.Kept->SentOffsets);
    return mpi::check(
        C,
        MPI_Iallgatherv(From, Mine, Type, Data.Out, To.Kept->Sent.data(),
                        To.Kept->SentOffsets.data(), Type, Comm, To.add()),
        "MPI_Iallgatherv");
  }
  case OperatorKind::ReduceScatter:
    return beginReduceScatter(S, To);
  case OperatorKind::AllToAll:
    if (Parts.even() && Received.even())
      return mpi::check(C,
                        MPI_Ialltoall(Data.In, mpi::asInt(C, Parts[Self]), Type,
                                      Data.Out, mpi::asInt(C, Received[Self]),
                                      Type, Comm, To.add()),
                        "MPI_Ialltoall");
    mpi::spread(C, Parts, To.Kept->Sent, To.Kept->SentOffsets);
    mpi::spread(C, Received, To.Kept->Received, To.Kept->ReceivedOffsets);
    return mpi::check(C,
                      MPI_Ialltoallv(Data.In, To.Kept->Sent.data(),
                                     To.Kept->SentOffsets.data(), Type,
                                     Data.Out, To.Kept->Received.data(),
                                     To.Kept->ReceivedOffsets.data(), Type,
                                     Comm, To.add()),
                      "MPI_Ialltoallv");
  default: // stays on the rank
    break;
  }
}

void MpiCommunicator::start(Started &S) {
  const mpi::OperatorCall Is(S.C);
  Together->checkWell(Is);
  StartedHash = detail::mix(StartedHash, Is.hash());
  StartedPlaces = detail::mix(StartedPlaces, detail::hashOf(S.C.At));
  ++StartedCount;
  if (!S.Own)
    S.Own = std::make_unique<Requests>(Ranks);
  auto &To = static_cast<Requests &>(*S.Own);
  To.All.clear();
  To.ToSum = 0;
  begin(S, To);
}

void MpiCommunicator::finish(Started &S) {
  auto &To = static_cast<Requests &>(*S.Own);
  Together->await(mpi::OperatorCall(S.C), To.All.data(),
                  static_cast<int>(To.All.size()));
  if (To.ToSum)
    To.Kept->sum(S.C.Type, To.ToSum, S.Data.Out);
}

// Started ones cannot be given up: MPI goes on with them in any call of it.
bool MpiCommunicator::mayHold() const { return !mpi::failure().empty(); }

bool MpiCommunicator::isDone(Started &S) {
  auto &All = static_cast<Requests &>(*S.Own).All;
  return Together->isDone(mpi::OperatorCall(S.C), All.data(),
                          static_cast<int>(All.size()));
}

} // namespace spmd
