// Streams, events and memory.

#include "StandIn.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>

namespace {

/// The streams of a rank, which cudaFree waits for.
struct Device {
  std::mutex Lock;
  std::set<cudaStream_t> Streams;
  void synchronize();
};

/// Of this thread; -1 is none.
thread_local int Number = -1;

std::shared_ptr<Device> device() {
  static std::mutex Lock;
  static std::map<int, std::shared_ptr<Device>> All;
  if (Number < 0)
    spmd::standin::complain("CUDA is called on a thread without a device");
  const std::lock_guard<std::mutex> Held(Lock);
  std::shared_ptr<Device> &Mine = All[std::max(0, Number)];
  if (!Mine)
    Mine = std::make_shared<Device>();
  return Mine;
}

/// Whether a stream has come to a point.
struct Point {
  std::mutex Lock;
  std::condition_variable Changed;
  bool Reached = false;

  void reach() {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      Reached = true;
    }
    Changed.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> Held(Lock);
    Changed.wait(Held, [this] { return Reached; });
  }
  bool isReached() {
    const std::lock_guard<std::mutex> Held(Lock);
    return Reached;
  }
};

struct Buffer {
  std::size_t Bytes;
  std::shared_ptr<Device> Of;
};
std::mutex BuffersLock;
std::map<const char *, Buffer> Buffers;

std::mutex ComplaintsLock;
std::vector<std::string> Complaints;

} // namespace

struct CUevent_st {
  std::shared_ptr<Point> Last;
};

struct CUstream_st {
  CUstream_st() : Thread([this] { run(); }) {
    const std::lock_guard<std::mutex> Held(Of->Lock);
    Of->Streams.insert(this);
  }
  ~CUstream_st() {
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
  void put(std::function<void()> Do) {
    {
      const std::lock_guard<std::mutex> Held(Lock);
      Work.push_back(std::move(Do));
    }
    Changed.notify_all();
  }
  std::shared_ptr<Point> mark() {
    auto P = std::make_shared<Point>();
    put([P] { P->reach(); });
    return P;
  }

private:
  void run() {
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

  const std::shared_ptr<Device> Of = device();
  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<std::function<void()>> Work;
  bool Ends = false;
  std::thread Thread;
};

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

static cudaStream_t given(cudaStream_t S) {
  if (S)
    return S;
  thread_local CUstream_st Default;
  return &Default;
}

namespace spmd::standin {

void put(cudaStream_t On, std::function<void()> Do) {
  given(On)->put(std::move(Do));
}

void complain(const std::string &What) {
  const std::lock_guard<std::mutex> Held(ComplaintsLock);
  Complaints.push_back(What);
}

std::vector<std::string> complaints() {
  const std::lock_guard<std::mutex> Held(ComplaintsLock);
  return std::exchange(Complaints, {});
}

bool expectOnDevice(const void *Data, std::size_t Bytes, const char *Who) {
  if (!Bytes)
    return true;
  const char *const Begin = static_cast<const char *>(Data);
  const std::lock_guard<std::mutex> Held(BuffersLock);
  auto After = Buffers.upper_bound(Begin);
  const bool IsIt = After != Buffers.begin() &&
                    Begin + Bytes <= (--After)->first + After->second.Bytes;
  if (!IsIt)
    complain(std::string(Who) + " is given what is not device memory");
  return IsIt;
}

} // namespace spmd::standin

const char *cudaGetErrorString(cudaError_t Error) {
  return Error == cudaErrorMemoryAllocation ? "out of memory" : "an error";
}

cudaError_t cudaSetDevice(int Device) {
  Number = Device;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *Device) {
  *Device = std::max(0, Number);
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *) {
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **At, std::size_t Bytes) {
  char *const Data = new (std::nothrow) char[Bytes ? Bytes : 1];
  if (!Data)
    return cudaErrorMemoryAllocation;
  *At = Data;
  const std::lock_guard<std::mutex> Held(BuffersLock);
  Buffers[Data] = {Bytes, device()};
  return cudaSuccess;
}

cudaError_t cudaFree(void *At) {
  if (!At)
    return cudaSuccess;
  std::shared_ptr<Device> Of;
  {
    const std::lock_guard<std::mutex> Held(BuffersLock);
    const auto Known = Buffers.find(static_cast<char *>(At));
    if (Known == Buffers.end())
      return cudaErrorInvalidValue;
    Of = Known->second.Of;
    Buffers.erase(Known);
  }
  Of->synchronize();
  delete[] static_cast<char *>(At);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *To, const void *From, std::size_t Bytes,
                            cudaMemcpyKind Kind, cudaStream_t S) {
  using spmd::standin::expectOnDevice;
  if (Kind != cudaMemcpyDeviceToHost)
    expectOnDevice(To, Bytes, "cudaMemcpyAsync");
  if (Kind != cudaMemcpyHostToDevice)
    expectOnDevice(From, Bytes, "cudaMemcpyAsync");
  spmd::standin::put(S, [=] { std::memcpy(To, From, Bytes); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *S, unsigned) {
  *S = new CUstream_st;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t S) {
  delete S;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t S) {
  given(S)->mark()->wait();
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t,
                                  cudaStreamCaptureStatus *Status) {
  *Status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *E, unsigned) {
  device();
  *E = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t E) {
  delete E;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t E, cudaStream_t S) {
  E->Last = given(S)->mark();
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t E) {
  device();
  return !E->Last || E->Last->isReached() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t S, cudaEvent_t E, unsigned) {
  if (E->Last)
    given(S)->put([P = E->Last] { P->wait(); });
  return cudaSuccess;
}
