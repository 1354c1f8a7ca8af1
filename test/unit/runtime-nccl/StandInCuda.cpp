// Devices, streams and events.

#include "StandInStreams.h"

#include <algorithm>
#include <random>

namespace spmd::standin {

/// Of this thread; -1 is none.
static thread_local int Number = -1;

std::shared_ptr<Device> device() {
  static std::mutex Lock;
  static std::map<int, std::shared_ptr<Device>> All;
  if (Number < 0)
    complain("CUDA is called on a thread without a device");
  const std::lock_guard<std::mutex> Held(Lock);
  std::shared_ptr<Device> &Mine = All[std::max(0, Number)];
  if (!Mine)
    Mine = std::make_shared<Device>(std::max(0, Number));
  return Mine;
}

void Device::synchronize() {
  std::vector<std::shared_ptr<Point>> Points;
  {
    const std::lock_guard<std::mutex> Held(Lock);
    for (const cudaStream_t S : Streams)
      Points.push_back(S->mark());
  }
  for (const auto &P : Points)
    P->wait();
}

cudaStream_t given(cudaStream_t S) {
  if (S)
    return S;
  thread_local CUstream_st Default;
  return &Default;
}

void put(cudaStream_t On, Make Do) {
  const cudaStream_t S = given(On);
  {
    const std::lock_guard<std::recursive_mutex> Held(capturesLock());
    if (S->In)
      return S->In->add({Capture::Node::Does, S->In->Lanes[S], std::move(Do)});
  }
  S->put(Do());
}

bool isCapturing(cudaStream_t S) {
  const std::lock_guard<std::recursive_mutex> Held(capturesLock());
  return given(S)->In != nullptr;
}

int deviceOf(cudaStream_t S) { return given(S)->Of->Number; }

static std::mutex ComplaintsLock;
static std::vector<std::string> Complaints;

void complain(const std::string &What) {
  const std::lock_guard<std::mutex> Held(ComplaintsLock);
  Complaints.push_back(What);
}

std::vector<std::string> complaints() {
  const std::lock_guard<std::mutex> Held(ComplaintsLock);
  return std::exchange(Complaints, {});
}

} // namespace spmd::standin

using namespace spmd::standin;

CUstream_st::CUstream_st() : Thread([this] { run(); }) {
  const std::lock_guard<std::mutex> Held(Of->Lock);
  Of->Streams.insert(this);
}

CUstream_st::~CUstream_st() {
  {
    const std::lock_guard<std::mutex> Held(Of->Lock);
    Of->Streams.erase(this);
  }
  {
    const std::lock_guard<std::mutex> Held(Lock);
    Ends = true;
  }
  Changed.notify_all();
  Thread.join();
}

void CUstream_st::put(std::function<void()> Do) {
  {
    const std::lock_guard<std::mutex> Held(Lock);
    Work.push_back(std::move(Do));
  }
  Changed.notify_all();
}

std::shared_ptr<Point> CUstream_st::mark() {
  auto P = std::make_shared<Point>();
  put([P] { P->reach(); });
  return P;
}

void CUstream_st::run() {
  // A device is late now and then, so that what is not in order shows.
  std::minstd_rand Random(
      static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(this)));
  std::unique_lock<std::mutex> Held(Lock);
  while (true) {
    Changed.wait(Held, [this] { return Ends || !Work.empty(); });
    if (Work.empty())
      return;
    const std::function<void()> Do = std::move(Work.front());
    Work.pop_front();
    Held.unlock();
    if (Random() % 8 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(Random() % 100));
    Do();
    Held.lock();
  }
}

const char *cudaGetErrorString(cudaError_t Error) {
  return Error == cudaErrorMemoryAllocation ? "out of memory" : "an error";
}

cudaError_t cudaGetDeviceCount(int *Count) {
  *Count = 8;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int Device) {
  Number = Device;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *Device) {
  *Device = std::max(0, Number);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *S, unsigned) {
  *S = new CUstream_st;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t S) {
  if (isCapturing(S))
    complain("a stream is destroyed while it is captured");
  delete S;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t S) {
  if (isCapturing(S))
    return breakOff(*given(S)->In, cudaErrorStreamCaptureUnsupported,
                    "cudaStreamSynchronize");
  if (const cudaError_t E = expectNoCapture("cudaStreamSynchronize"))
    return E;
  given(S)->mark()->wait();
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *E, unsigned) {
  *E = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t E) {
  delete E;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t E, cudaStream_t Given) {
  const cudaStream_t S = given(Given);
  if (E->Of != S->Of) {
    complain("an event of one device is recorded on a stream of another");
    return cudaErrorInvalidResourceHandle;
  }
  const std::lock_guard<std::recursive_mutex> Held(capturesLock());
  E->In = S->In;
  if (!S->In) {
    E->Last = S->mark();
    return cudaSuccess;
  }
  Capture &C = *S->In;
  const int Lane = C.Lanes[S];
  E->Mark = C.Marks.size();
  C.Marks.push_back(C.Known[static_cast<std::size_t>(Lane)]);
  C.Nodes.push_back({Capture::Node::Records, Lane, nullptr, E->Mark});
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t E) {
  device();
  std::shared_ptr<Point> Last;
  {
    const std::lock_guard<std::recursive_mutex> Held(capturesLock());
    if (E->In)
      return breakOff(*E->In, cudaErrorCapturedEvent, "cudaEventQuery");
    Last = E->Last;
  }
  if (const cudaError_t Error = expectNoCapture("cudaEventQuery"))
    return Error;
  return !Last || Last->isReached() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t Given, cudaEvent_t E, unsigned) {
  const cudaStream_t S = given(Given);
  const std::lock_guard<std::recursive_mutex> Held(capturesLock());
  if (!E->In) {
    if (S->In && E->Last)
      return breakOff(*S->In, cudaErrorStreamCaptureIsolation,
                      "waiting for what is not captured");
    if (E->Last)
      S->put([P = E->Last] { P->wait(); });
    return cudaSuccess;
  }
  Capture &C = *E->In;
  if (!C.Origin || (S->In && S->In != E->In))
    return breakOff(S->In ? *S->In : C, cudaErrorStreamCaptureMerge,
                    "waiting for what is in another capture");
  if (!S->In) {
    S->In = E->In;
    C.Lanes[S] = static_cast<int>(C.Known.size());
    C.Known.emplace_back();
  }
  const int Lane = C.Lanes[S];
  for (const auto &[Of, Length] : C.Marks[E->Mark]) {
    std::size_t &Mine = C.Known[static_cast<std::size_t>(Lane)][Of];
    Mine = std::max(Mine, Length);
  }
  C.add({Capture::Node::Waits, Lane, nullptr, E->Mark});
  return cudaSuccess;
}
