#include "spmd/nccl.h"

#include "DeviceMemory.h"
#include "SideStream.h"
#include "Watch.h"

#include "spmd/shapes.h"

#include <exception>

namespace spmd {
namespace {

ncclDataType_t dataType(DType T) {
  constexpr ncclDataType_t Types[] = {ncclFloat16, ncclBfloat16, ncclFloat32,
                                      ncclFloat64, ncclInt8,     ncclUint8,
                                      ncclInt32,   ncclInt64};
  return Types[static_cast<int>(T)];
}

/// Watched while NCCL is called, and from when it is on the stream.
class Watched {
public:
  Watched(const Call &C, Watch &Over, cudaStream_t On) : Over(Over), On(On) {
    Over.enter(C);
  }
  ~Watched() { Over.leave(On, std::uncaught_exceptions() == Passing); }
  Watched(const Watched &) = delete;
  Watched &operator=(const Watched &) = delete;

private:
  Watch &Over;
  const cudaStream_t On;
  const int Passing = std::uncaught_exceptions();
};

/// The operator under way, for what NCCL says of it.
class Checked {
public:
  Checked(const Call &C, ncclComm_t Comm, Watch &Over, cudaStream_t On)
      : C(C), Comm(Comm), Over(Over), Meanwhile(C, Over, On) {
    ncclResult_t Earlier = ncclSuccess;
    check(ncclCommGetAsyncError(Comm, &Earlier), "ncclCommGetAsyncError");
    check(Earlier, "an earlier operator");
  }

  /// Waits for what goes on without us, but not between calls that are to run
  /// as one.
  void check(ncclResult_t Result, const char *What, bool IsLast = true) const {
    if (Result == ncclInProgress)
      Result = IsLast ? Over.await() : ncclSuccess;
    if (Result == ncclSuccess)
      return;
    // NCCL's own call ends so when it has been given up.
    Over.checkWell(C);
    failOn(C, std::string(What) + ": " + ncclGetErrorString(Result) + ", " +
                  ncclGetLastError(Comm));
  }

private:
  const Call &C;
  ncclComm_t Comm;
  Watch &Over;
  const Watched Meanwhile;
};

/// NCCL's calls that run as one; ended also where one of them fails, as the
/// thread's later calls would be held back.
class Grouped {
public:
  explicit Grouped(const Checked &Run) : Run(Run) {
    Run.check(ncclGroupStart(), "ncclGroupStart");
  }
  ~Grouped() {
    if (IsOpen)
      ncclGroupEnd();
  }
  Grouped(const Grouped &) = delete;
  Grouped &operator=(const Grouped &) = delete;
  void check(ncclResult_t Result, const char *What) const {
    Run.check(Result, What, /*IsLast=*/false);
  }
  void end() {
    IsOpen = false;
    Run.check(ncclGroupEnd(), "ncclGroupEnd");
  }

private:
  const Checked &Run;
  bool IsOpen = true;
};

ncclRedOp_t reduction(const Call &C) {
  return C.Op == rules::OperatorKind::AllReduceMax   ? ncclMax
         : C.Op == rules::OperatorKind::AllReduceMin ? ncclMin
         : C.Mean                                    ? ncclAvg
                                                     : ncclSum;
}

std::size_t count(std::int64_t N) { return static_cast<std::size_t>(N); }

const void *at(const void *Data, std::int64_t Element, DType T) {
  return static_cast<const char *>(Data) +
         Element * static_cast<std::int64_t>(sizeOf(T));
}
void *at(void *Data, std::int64_t Element, DType T) {
  return static_cast<char *>(Data) +
         Element * static_cast<std::int64_t>(sizeOf(T));
}

} // namespace

NcclCommunicator::NcclCommunicator(ncclComm_t C, cudaStream_t S, bool Owned)
    : Comm(C), Owned(Owned), Stream(S), To(S), Device(deviceMemory(S)) {
  const auto Check = [](ncclResult_t Result, const char *What) {
    if (Result != ncclSuccess)
      detail::fail(std::string("spmd::Axis: ") + What + ": " +
                   ncclGetErrorString(Result));
  };
  Check(ncclCommCount(Comm, &Ranks), "ncclCommCount");
  Check(ncclCommUserRank(Comm, &Self), "ncclCommUserRank");
  Over = std::make_unique<Watch>(Comm, Owned);
}

Memory &NcclCommunicator::memory() { return *Device; }

void NcclCommunicator::allReduce(const Call &C, const void *In, void *Out,
                                 std::int64_t Count) {
  Checked(C, Comm, *Over, To)
      .check(ncclAllReduce(In, Out, count(Count), dataType(C.Type),
                           reduction(C), Comm, To),
             "ncclAllReduce");
}

void NcclCommunicator::allGather(const Call &C, const void *In, void *Out,
                                 const Counts &Parts) {
  const Checked Run(C, Comm, *Over, To);
  const ncclDataType_t Type = dataType(C.Type);
  if (Parts.even())
    return Run.check(ncclAllGather(In, Out, count(Parts[Self]), Type, Comm, To),
                     "ncclAllGather");
  Grouped All(Run);
  for (int R = 0; R < Ranks; ++R)
    if (Parts[R])
      All.check(ncclBroadcast(In, at(Out, Parts.before(R), C.Type),
                              count(Parts[R]), Type, R, Comm, To),
                "ncclBroadcast");
  All.end();
}

void NcclCommunicator::reduceScatter(const Call &C, const void *In, void *Out,
                                     const Counts &Parts) {
  const Checked Run(C, Comm, *Over, To);
  const ncclDataType_t Type = dataType(C.Type);
  if (Parts.even())
    return Run.check(ncclReduceScatter(In, Out, count(Parts[Self]), Type,
                                       reduction(C), Comm, To),
                     "ncclReduceScatter");
  Grouped All(Run);
  for (int R = 0; R < Ranks; ++R)
    if (Parts[R])
      All.check(ncclReduce(at(In, Parts.before(R), C.Type), Out,
                           count(Parts[R]), Type, reduction(C), R, Comm, To),
                "ncclReduce");
  All.end();
}

void NcclCommunicator::allToAll(const Call &C, const void *In,
                                const Counts &Sent, void *Out,
                                const Counts &Received) {
  const Checked Run(C, Comm, *Over, To);
  const ncclDataType_t Type = dataType(C.Type);
  Grouped All(Run);
  for (int R = 0; R < Ranks; ++R) {
    if (Sent[R])
      All.check(ncclSend(at(In, Sent.before(R), C.Type), count(Sent[R]), Type,
                         R, Comm, To),
                "ncclSend");
    if (Received[R])
      All.check(ncclRecv(at(Out, Received.before(R), C.Type),
                         count(Received[R]), Type, R, Comm, To),
                "ncclRecv");
  }
  All.end();
}

} // namespace spmd
