#include "Watch.h"

#include "../lib/Recorder.h"

#include "spmd/deadline.h"

#include <algorithm>
#include <condition_variable>
#include <thread>

namespace spmd {
namespace {

/// The watches of the process, and the thread that looks at them.
class Watchers {
public:
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
    All.erase(std::find(All.begin(), All.end(), W));
  }

private:
  void run() {
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

Watchers &watchers() {
  static Watchers Process;
  return Process;
}

} // namespace

Watch::Watch(ncclComm_t Comm, bool Owned) : Comm(Comm), Owned(Owned) {
  watchers().add(this);
}

Watch::~Watch() {
  watchers().remove(this);
  for (const Entry &E : Entries)
    if (E.Done)
      cudaEventDestroy(E.Done);
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
  Calls = {C.Op, C.Mean, C.Type, C.Whole, C.At, C.On.globalRank()};
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
  if (Count == Entries.size() ||
      cudaStreamIsCapturing(On, &Captured) != cudaSuccess ||
      Captured != cudaStreamCaptureStatusNone)
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

void Watch::look() {
  const std::lock_guard<std::mutex> Held(Lock);
  if (IsCalling) {
    if (Cause.empty() && Clock::now() - CallsSince > deadline())
      fail(Calls, late());
    return;
  }
  for (; Count && Cause.empty(); --Count) {
    const Entry &E = Entries[First];
    const cudaError_t Result = cudaEventQuery(E.Done);
    ncclResult_t Error = ncclSuccess;
    ncclCommGetAsyncError(Comm, &Error);
    if (Error != ncclSuccess && Error != ncclInProgress)
      return fail(E.What, std::string(ncclGetErrorString(Error)) + ", " +
                              ncclGetLastError(Comm));
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
}

void Watch::fail(const Said &What, const std::string &Why) {
  Cause = detail::operatorName(What.Op, What.Mean) + " of " +
          nameOf(What.Type) + What.Whole.str() + at(What.At) + ": " + Why;
  std::fprintf(stderr, "spmd: rank %d: %s\n", What.Rank, Cause.c_str());
  dumpOnFailure(What.Rank);
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 7)
  ncclCommRevoke(Comm, NCCL_REVOKE_DEFAULT);
#endif
  if (Owned) {
    ncclCommAbort(Comm);
    Aborted = true;
  }
}

} // namespace spmd
