#include "Watch.h"

#include "Capture.h"

#include "../lib/Recorder.h"

#include "spmd/deadline.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <thread>

// From NCCL 2.28.7 on; null where the one that is loaded is older.
extern "C" ncclResult_t ncclCommRevoke(ncclComm_t Comm, int Flags)
    __attribute__((weak));

namespace spmd {

/// The watches of the process, and the thread that looks at them. Its watches
/// own it, as the last of them may end with the statics of the program.
class Watchers {
public:
  static std::shared_ptr<Watchers> ofProcess() {
    static std::mutex Lock;
    static std::weak_ptr<Watchers> Known;
    const std::lock_guard<std::mutex> Held(Lock);
    std::shared_ptr<Watchers> Out = Known.lock();
    if (!Out)
      Known = Out = std::make_shared<Watchers>();
    return Out;
  }

  ~Watchers() {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      Ends = true;
    }
    Changed.notify_all();
    if (Thread.joinable())
      Thread.join();
  }

  void add(Watch *W) {
    const std::lock_guard<std::mutex> Held(Lock);
    All.push_back(W);
    if (!Thread.joinable())
      Thread = std::thread([this] { run(); });
  }
  void remove(Watch *W) {
    const std::lock_guard<std::mutex> Held(Lock);
    const auto At = std::find(All.begin(), All.end(), W);
    if (At != All.end())
      All.erase(At);
  }

private:
  void run() {
    // Else a look would end what another thread captures.
    cudaStreamCaptureMode Mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&Mode);
    std::unique_lock<std::mutex> Held(Lock);
    while (!Ends) {
      Changed.wait_for(Held, std::clamp<std::chrono::milliseconds>(
                                 deadline() / 8, std::chrono::milliseconds(10),
                                 std::chrono::seconds(1)));
      for (Watch *W : All)
        W->look();
    }
  }

  std::mutex Lock;
  std::condition_variable Changed;
  std::vector<Watch *> All;
  bool Ends = false;
  std::thread Thread;
};

Watch::Watch(ncclComm_t Comm, int Device, bool Owned)
    : Comm(Comm), Owned(Owned), Device(Device), By(Watchers::ofProcess()) {
  By->add(this);
}

Watch::~Watch() {
  stop();
  for (const Entry &E : Entries)
    if (E.Done)
      cudaEventDestroy(E.Done);
}

bool Watch::stop() {
  By->remove(this);
  const std::lock_guard<std::mutex> Held(Lock);
  return Aborted;
}

bool Watch::hasFailed() {
  const std::lock_guard<std::mutex> Held(Lock);
  return !Cause.empty();
}

bool Watch::mayHold() {
  const std::lock_guard<std::mutex> Held(Lock);
  return !Cause.empty() && !Aborted && !Revoked;
}

void Watch::checkWell(const Call &C) {
  const std::lock_guard<std::mutex> Held(Lock);
  if (!Cause.empty())
    failOn(C, Cause);
}

void Watch::enter(const Call &C) {
  const std::lock_guard<std::mutex> Held(Lock);
  if (!Cause.empty())
    failOn(C, Cause);
  if (Rank < 0)
    Rank = rankInProgram(C.On);
  Calls = {C.Op, C.Mean, C.Type, C.Whole, C.At};
  CallsSince = Clock::now();
  IsCalling = true;
}

void Watch::leave(cudaStream_t On, bool IsThere) {
  const std::lock_guard<std::mutex> Held(Lock);
  IsCalling = false;
  if (IsThere && Cause.empty())
    add(On);
}

void Watch::add(cudaStream_t On) {
  cudaStreamCaptureStatus Captured = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(On, &Captured) != cudaSuccess)
    return;
  if (Captured != cudaStreamCaptureStatusNone) {
    IsInGraph = true;
    InGraph = Calls;
    return;
  }
  if (Count == Entries.size())
    return;
  Entry &E = Entries[(First + Count) % Entries.size()];
  if (!E.Done &&
      cudaEventCreateWithFlags(&E.Done, cudaEventDisableTiming) != cudaSuccess)
    return;
  if (cudaEventRecord(E.Done, On) != cudaSuccess)
    return;
  E.What = Calls;
  if (Count++ == 0)
    Since = Clock::now();
}

static std::string late() {
  return "a rank did not come within " + std::to_string(deadline().count()) +
         " ms";
}

ncclResult_t Watch::await() {
  // NCCL is mostly done in less time than the shortest sleep takes.
  const Clock::time_point Awake = Clock::now() + std::chrono::microseconds(200);
  auto Pause = std::chrono::microseconds(50);
  for (;;) {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      if (!Cause.empty())
        return ncclInternalError;
      ncclResult_t State = ncclSuccess;
      const ncclResult_t Asked = ncclCommGetAsyncError(Comm, &State);
      if (Asked != ncclSuccess || State != ncclInProgress)
        return Asked != ncclSuccess ? Asked : State;
      if (Clock::now() - CallsSince > deadline())
        fail(Calls, late());
    }
    if (Clock::now() < Awake) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(Pause);
    Pause = std::min(2 * Pause, std::chrono::microseconds(1000));
  }
}

void Watch::look() {
  const std::lock_guard<std::mutex> Held(Lock);
  cudaSetDevice(Device);
  if (IsCalling) {
    // Who calls ours looks at the clock itself, and nothing is freed under it.
    if (!Owned && Cause.empty() && Clock::now() - CallsSince > deadline())
      fail(Calls, late());
    return;
  }
  for (; Count && Cause.empty(); --Count) {
    const Entry &E = Entries[First];
    const cudaError_t Result = cudaEventQuery(E.Done);
    if (Result == cudaErrorCudartUnloading || !isWell(E.What))
      return;
    if (Result == cudaErrorNotReady) {
      if (Clock::now() - Since > deadline())
        fail(E.What, late());
      return;
    }
    if (Result != cudaSuccess)
      return fail(E.What, cudaGetErrorString(Result));
    First = (First + 1) % Entries.size();
    Since = Clock::now();
  }
  if (IsInGraph && Cause.empty())
    isWell(InGraph);
}

bool Watch::isWell(const Said &What) {
  ncclResult_t Error = ncclSuccess;
  ncclCommGetAsyncError(Comm, &Error);
  if (Error == ncclSuccess || Error == ncclInProgress)
    return true;
  fail(What,
       std::string(ncclGetErrorString(Error)) + ", " + ncclGetLastError(Comm));
  return false;
}

void Watch::drain() {
  const BesideCaptures Mode;
  int Before = 0;
  if (cudaGetDevice(&Before) != cudaSuccess)
    return;
  const auto Until = Clock::now() + 2 * deadline();
  for (bool Goes = true; Goes && Clock::now() < Until;) {
    look();
    const std::lock_guard<std::mutex> Held(Lock);
    Goes = Count && Cause.empty();
    if (Goes)
      std::this_thread::yield();
  }
  cudaSetDevice(Before);
}

void Watch::fail(const Said &What, const std::string &Why) {
  Cause = detail::operatorName(What.Op, What.Mean) + " of " +
          nameOf(What.Type) + What.Whole.str() + at(What.At) + ": " + Why;
  std::fprintf(stderr, "spmd: rank %d: %s\n", Rank, Cause.c_str());
  dumpOnFailure(Rank);
  if (ncclCommRevoke)
    Revoked = ncclCommRevoke(Comm, /*Flags=*/0) == ncclSuccess;
  if (Owned) {
    ncclCommAbort(Comm);
    Aborted = true;
  }
}

} // namespace spmd
