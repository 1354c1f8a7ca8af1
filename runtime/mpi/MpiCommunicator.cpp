#include "CheckMpi.h"
#include "Datatype.h"
#include "Exchange.h"
#include "FailureMessages.h"
#include "OperatorCall.h"
#include "Watchdog.h"

#include "spmd/mpi.h"
#include "spmd/shapes.h"

#include <atomic>
#include <climits>
#include <cstdio>
#include <numeric>

namespace spmd {

using mpi::asInt;
using mpi::check;
using mpi::spread;

/// Of this process; MPI has numbers for some tens of thousands.
static std::atomic<int> Alive{0};

static void checkMade(int Code, const char *What) {
  if (Code != MPI_SUCCESS)
    detail::fail(std::string("spmd::Axis: ") + What + ": " + mpi::textOf(Code) +
                 ", with " + std::to_string(Alive) +
                 " communicators of axes open in this process");
}

MpiCommunicator::MpiCommunicator(MPI_Comm Of) {
  const mpi::ReturningErrors Mode(Of);
  const mpi::WatchdogScope Under("MPI_Comm_dup for an axis");
  checkMade(MPI_Comm_dup(Of, &Comm), "MPI_Comm_dup");
  open();
}

MpiCommunicator::MpiCommunicator(MPI_Comm Of, Owned) : Comm(Of) { open(); }

void MpiCommunicator::open() {
  checkMade(MPI_Comm_set_errhandler(Comm, MPI_ERRORS_RETURN),
            "MPI_Comm_set_errhandler");
  checkMade(MPI_Comm_size(Comm, &Ranks), "MPI_Comm_size");
  checkMade(MPI_Comm_rank(Comm, &Self), "MPI_Comm_rank");
  Kept = std::make_unique<mpi::Exchange>(Ranks);
  std::vector<int> All(static_cast<std::size_t>(Ranks)), InWorld(All.size());
  std::iota(All.begin(), All.end(), 0);
  MPI_Group World, Mine;
  MPI_Comm_group(MPI_COMM_WORLD, &World);
  MPI_Comm_group(Comm, &Mine);
  MPI_Group_translate_ranks(Mine, Ranks, All.data(), World, InWorld.data());
  MPI_Group_free(&Mine);
  MPI_Group_free(&World);
  Together = std::make_unique<mpi::CheckedBarrier>(
      Comm, std::move(All), std::move(InWorld), Self, /*FirstTag=*/0,
      mpi::SharedWords::open(Comm, Ranks, Self));
  ++Alive;
}

// After a failure MPI may still be at work on it, and would wait for the
// others.
MpiCommunicator::~MpiCommunicator() {
  --Alive;
  int Finalized = 0;
  MPI_Finalized(&Finalized);
  if (!Finalized && mpi::failure().empty())
    MPI_Comm_free(&Comm);
}

namespace {

/// One that comes after others were started, of which MPI has compared nothing.
class AfterStarts final : public mpi::Operation {
public:
  AfterStarts(const Call &C, std::uint64_t Hash, std::uint64_t Places,
              std::uint64_t Count)
      : Is(C), Hash(Hash), Places(Places), Count(Count) {}
  std::uint64_t hash() const override { return detail::mix(Is.hash(), Hash); }
  std::uint64_t place() const override {
    return detail::mix(Is.place(), Places);
  }
  std::string text() const override {
    char Short[5];
    std::snprintf(Short, sizeof Short, "%04x",
                  static_cast<unsigned>(Hash & 0xffff));
    return Is.text() + ", after " + std::to_string(Count) + " that " +
           (Count == 1 ? "was" : "were") + " started (" + Short + ")";
  }
  std::string where() const override { return Is.where(); }
  [[noreturn]] void fail(const std::string &Cause) const override {
    Is.fail(Cause);
  }

private:
  const mpi::OperatorCall Is;
  const std::uint64_t Hash, Places, Count;
};

} // namespace

void MpiCommunicator::come(const Call &C) {
  if (StartedCount == 0)
    return Together->arriveAndWait(mpi::OperatorCall(C));
  Together->arriveAndWait(
      AfterStarts(C, StartedHash, StartedPlaces, StartedCount));
  StartedHash = StartedPlaces = StartedCount = 0;
}

void MpiCommunicator::allReduce(const Call &C, const void *In, void *Out,
                                std::int64_t Count) {
  come(C);
  const mpi::WatchdogScope Under;
  const auto Size = static_cast<std::int64_t>(sizeOf(C.Type));
  for (std::int64_t At = 0; At < Count; At += INT_MAX) {
    const void *From = static_cast<const char *>(In) + At * Size;
    check(C,
          MPI_Allreduce(
              In == Out ? MPI_IN_PLACE : From,
              static_cast<char *>(Out) + At * Size,
              static_cast<int>(std::min<std::int64_t>(INT_MAX, Count - At)),
              mpi::datatype(C.Type), mpi::reduction(C), Comm),
          "MPI_Allreduce");
  }
}

/// MPI has one buffer for what is sent and what is received.
void *MpiCommunicator::prepareBroadcast(const Call &C, const void *In,
                                        void *Out) {
  const std::size_t Bytes =
      static_cast<std::size_t>(C.Whole.numel()) * sizeOf(C.Type);
  if (Self == C.Root)
    memory().copyRows(Out, Bytes, In, Bytes, Bytes, 1);
  return Out;
}

void MpiCommunicator::allGather(const Call &C, const void *In, void *Out,
                                const Counts &Parts) {
  come(C);
  const mpi::WatchdogScope Under;
  const MPI_Datatype Type = mpi::datatype(C.Type);
  if (C.Op == rules::OperatorKind::Broadcast)
    return check(C,
                 MPI_Bcast(prepareBroadcast(C, In, Out),
                           asInt(C, Parts[C.Root]), Type, C.Root, Comm),
                 "MPI_Bcast");
  const int Mine = asInt(C, Parts[Self]);
  const void *const From =
      mpi::isInPlace(C, Parts, Self, In, Out) ? MPI_IN_PLACE : In;
  if (Parts.even())
    return check(C, MPI_Allgather(From, Mine, Type, Out, Mine, Type, Comm),
                 "MPI_Allgather");
  spread(C, Parts, Kept->Received, Kept->ReceivedOffsets);
  check(C,
        MPI_Allgatherv(From, Mine, Type, Out, Kept->Received.data(),
                       Kept->ReceivedOffsets.data(), Type, Comm),
        "MPI_Allgatherv");
}

void MpiCommunicator::allToAll(const Call &C, const void *In,
                               const Counts &Sent, void *Out,
                               const Counts &Received) {
  come(C);
  const mpi::WatchdogScope Under;
  const MPI_Datatype Type = mpi::datatype(C.Type);
  if (Sent.even() && Received.even())
    return check(C,
                 MPI_Alltoall(In, asInt(C, Sent[Self]), Type, Out,
                              asInt(C, Received[Self]), Type, Comm),
                 "MPI_Alltoall");
  spread(C, Sent, Kept->Sent, Kept->SentOffsets);
  spread(C, Received, Kept->Received, Kept->ReceivedOffsets);
  check(C,
        MPI_Alltoallv(In, Kept->Sent.data(), Kept->SentOffsets.data(), Type,
                      Out, Kept->Received.data(), Kept->ReceivedOffsets.data(),
                      Type, Comm),
        "MPI_Alltoallv");
}

} // namespace spmd
