// Operators that are started, by MPI's nonblocking calls.

#include "CheckMpi.h"
#include "Datatype.h"
#include "Notes.h"
#include "OperatorMatter.h"

#include "spmd/mpi.h"

#include <climits>

namespace spmd {

/// What MPI reads until the operator is done.
struct MpiCommunicator::Requests final : Started::State {
  explicit Requests(int Ranks) {
    for (std::vector<int> *V : {&Each[0], &Each[1], &Offsets[0], &Offsets[1]})
      V->resize(static_cast<std::size_t>(Ranks));
  }
  /// After a failure MPI may still read the counts.
  ~Requests() override {
    if (!mpi::failure().empty())
      for (std::vector<int> *V : {&Each[0], &Each[1], &Offsets[0], &Offsets[1]})
        std::make_unique<std::vector<int>>(std::move(*V)).release();
  }
  MPI_Request *add() { return &All.emplace_back(MPI_REQUEST_NULL); }

  std::vector<MPI_Request> All;
  std::vector<int> Each[2], Offsets[2];
};

void MpiCommunicator::begin(const Call &C, const Transfer &Data, Requests &To) {
  using rules::OperatorKind;
  const MPI_Datatype Type = mpi::datatype(C.Type);
  const MPI_Op Sum = mpi::sum(C.Type);
  const Counts &Parts = Data.Parts, &Received = Data.Received;
  switch (C.Op) {
  case OperatorKind::AllReduce: {
    const auto Size = static_cast<std::int64_t>(sizeOf(C.Type));
    for (std::int64_t At = 0; At < Data.Count; At += INT_MAX) {
      const void *From = static_cast<const char *>(Data.In) + At * Size;
      mpi::check(C,
                 MPI_Iallreduce(Data.In == Data.Out ? MPI_IN_PLACE : From,
                                static_cast<char *>(Data.Out) + At * Size,
                                static_cast<int>(std::min<std::int64_t>(
                                    INT_MAX, Data.Count - At)),
                                Type, Sum, Comm, To.add()),
                 "MPI_Iallreduce");
    }
    return;
  }
  case OperatorKind::AllGather: {
    const int Mine = mpi::asInt(C, Parts[Self]);
    if (Parts.even())
      return mpi::check(C,
                        MPI_Iallgather(Data.In, Mine, Type, Data.Out, Mine,
                                       Type, Comm, To.add()),
                        "MPI_Iallgather");
    mpi::spread(C, Parts, To.Each[0], To.Offsets[0]);
    return mpi::check(C,
                      MPI_Iallgatherv(Data.In, Mine, Type, Data.Out,
                                      To.Each[0].data(), To.Offsets[0].data(),
                                      Type, Comm, To.add()),
                      "MPI_Iallgatherv");
  }
  case OperatorKind::ReduceScatter:
    if (Parts.even())
      return mpi::check(C,
                        MPI_Ireduce_scatter_block(Data.In, Data.Out,
                                                  mpi::asInt(C, Parts[Self]),
                                                  Type, Sum, Comm, To.add()),
                        "MPI_Ireduce_scatter_block");
    mpi::spread(C, Parts, To.Each[0], To.Offsets[0]);
    return mpi::check(C,
                      MPI_Ireduce_scatter(Data.In, Data.Out, To.Each[0].data(),
                                          Type, Sum, Comm, To.add()),
                      "MPI_Ireduce_scatter");
  case OperatorKind::AllToAll:
    if (Parts.even() && Received.even())
      return mpi::check(C,
                        MPI_Ialltoall(Data.In, mpi::asInt(C, Parts[Self]), Type,
                                      Data.Out, mpi::asInt(C, Received[Self]),
                                      Type, Comm, To.add()),
                        "MPI_Ialltoall");
    mpi::spread(C, Parts, To.Each[0], To.Offsets[0]);
    mpi::spread(C, Received, To.Each[1], To.Offsets[1]);
    return mpi::check(C,
                      MPI_Ialltoallv(Data.In, To.Each[0].data(),
                                     To.Offsets[0].data(), Type, Data.Out,
                                     To.Each[1].data(), To.Offsets[1].data(),
                                     Type, Comm, To.add()),
                      "MPI_Ialltoallv");
  case OperatorKind::Convert:
  case OperatorKind::Reinterpret:
    break;
  }
}

void MpiCommunicator::start(Started &S) {
  Together->checkWell(mpi::OperatorMatter(S.C));
  if (!S.Own)
    S.Own = std::make_unique<Requests>(Ranks);
  auto &To = static_cast<Requests &>(*S.Own);
  To.All.clear();
  begin(S.C, S.Data, To);
}

void MpiCommunicator::finish(Started &S) {
  auto &All = static_cast<Requests &>(*S.Own).All;
  Together->await(mpi::OperatorMatter(S.C), All.data(),
                  static_cast<int>(All.size()));
}

bool MpiCommunicator::isDone(Started &S) {
  auto &All = static_cast<Requests &>(*S.Own).All;
  return Together->isDone(mpi::OperatorMatter(S.C), All.data(),
                          static_cast<int>(All.size()));
}

} // namespace spmd
