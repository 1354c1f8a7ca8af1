#include "spmd/nccl.h"

#include "CheckNccl.h"
#include "DeviceMemory.h"
#include "SideStream.h"
#include "Watch.h"

#include "spmd/shapes.h"

#include <exception>

namespace spmd {
namespace {

ncclDataType_t dataType(const Call &C) {
  if (isFloat8(C.Type)) {
#if NCCL_VERSION_CODE >= 22400
    return C.Type == DType::F8E4M3 ? ncclFloat8e4m3 : ncclFloat8e5m2;
#else
    failOn(C, "NCCL has floats of 8 bits from 2.24 on");
#endif
  }
  constexpr ncclDataType_t Types[] = {
      ncclFloat16, ncclBfloat16, ncclFloat32, ncclFloat64, ncclInt8, ncclUint8,
      ncclInt32,   ncclInt64,    ncclUint32,  ncclUint64,  ncclUint8};
  return Types[static_cast<int>(C.Type)];
}

/// Watched while NCCL is called, and from when it is on the stream.
class Watching {
public:
  Watching(const Call &C, Watch &Over, cudaStream_t On) : Over(Over), On(On) {
    Over.enter(C);
  }
  ~Watching() { Over.leave(On, std::uncaught_exceptions() == Passing); }
  Watching(const Watching &) = delete;
  Watching &operator=(const Watching &) = delete;

private:
  Watch &Over;
  const cudaStream_t On;
  const int Passing = std::uncaught_exceptions();
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
    : Comm(C), Owned(Owned), Stream(S) {
  const auto Check = [](ncclResult_t Result, const char *What) {
    if (Result != ncclSuccess)
      detail::fail(std::string("spmd::Axis: ") + What + ": " +
                   ncclGetErrorString(Result));
  };
  Check(ncclCommCount(Comm, &Ranks), "ncclCommCount");
  Check(ncclCommUserRank(Comm, &Self), "ncclCommUserRank");
  int Device = 0;
  Check(ncclCommCuDevice(Comm, &Device), "ncclCommCuDevice");
  Buffers = deviceMemory(S, Device);
  Over = std::make_unique<Watch>(Comm, Device, Owned);
}

Memory &NcclCommunicator::memory() { return *Buffers; }

template <class Fn> void NcclCommunicator::issue(const Call &C, Fn Do) {
  const cudaStream_t On = IsStarting ? Beside->Stream : callStream(Stream);
  comeAfterLatest(On);
  {
    const Watching Meanwhile(C, *Over, On);
    const Checked Run{C, Comm, *Over};
    ncclResult_t Earlier = ncclSuccess;
    Run.check(ncclCommGetAsyncError(Comm, &Earlier), "ncclCommGetAsyncError");
    Run.check(Earlier, "an earlier operator");
    Do(Run, On, dataType(C));
  }
  setLatest(On);
}

void NcclCommunicator::call(const Axis &On, Site At,
                            const std::function<void(const Checked &)> &Do) {
  static const Placement None = {LocalType::V};
  const Call C = {
      rules::OperatorKind::Barrier, On, None, None, DType::U8, {}, At};
  issue(C,
        [&Do](const Checked &Run, cudaStream_t, ncclDataType_t) { Do(Run); });
}

void NcclCommunicator::drain() { Over->drain(); }

void NcclCommunicator::allReduce(const Call &C, const void *In, void *Out,
                                 std::int64_t Count) {
  issue(C, [&](const Checked &Run, cudaStream_t On, ncclDataType_t Type) {
    Run.check(
        ncclAllReduce(In, Out, count(Count), Type, reduction(C), Comm, On),
        "ncclAllReduce");
  });
}

void NcclCommunicator::allGather(const Call &C, const void *In, void *Out,
                                 const Counts &Parts) {
  issue(C, [&](const Checked &Run, cudaStream_t On, ncclDataType_t Type) {
    if (Parts.even())
      return Run.check(
          ncclAllGather(In, Out, count(Parts[Self]), Type, Comm, On),
          "ncclAllGather");
    Grouped All(Run);
    for (int R = 0; R < Ranks; ++R)
      if (Parts[R])
        All.check(ncclBroadcast(In, at(Out, Parts.before(R), C.Type),
                                count(Parts[R]), Type, R, Comm, On),
                  "ncclBroadcast");
    All.end();
  });
}

void NcclCommunicator::reduceScatter(const Call &C, const void *In, void *Out,
                                     const Counts &Parts) {
  issue(C, [&](const Checked &Run, cudaStream_t On, ncclDataType_t Type) {
    if (Parts.even())
      return Run.check(ncclReduceScatter(In, Out, count(Parts[Self]), Type,
                                         reduction(C), Comm, On),
                       "ncclReduceScatter");
    Grouped All(Run);
    for (int R = 0; R < Ranks; ++R)
      if (Parts[R])
        All.check(ncclReduce(at(In, Parts.before(R), C.Type), Out,
                             count(Parts[R]), Type, reduction(C), R, Comm, On),
                  "ncclReduce");
    All.end();
  });
}

void NcclCommunicator::allToAll(const Call &C, const void *In,
                                const Counts &Sent, void *Out,
                                const Counts &Received) {
  issue(C, [&](const Checked &Run, cudaStream_t On, ncclDataType_t Type) {
    Grouped All(Run);
    for (int R = 0; R < Ranks; ++R) {
      if (Sent[R])
        All.check(ncclSend(at(In, Sent.before(R), C.Type), count(Sent[R]), Type,
                           R, Comm, On),
                  "ncclSend");
      if (Received[R])
        All.check(ncclRecv(at(Out, Received.before(R), C.Type),
                           count(Received[R]), Type, R, Comm, On),
                  "ncclRecv");
    }
    All.end();
  });
}

} // namespace spmd
