// Memory of devices, and copies.

#include "StandInStreams.h"

#include <atomic>
#include <cstring>

namespace {

using spmd::standin::Device;

struct Buffer {
  std::size_t Bytes;
  std::shared_ptr<Device> Of;
  /// The graph that it is allocated in, or 0.
  unsigned long long Graph = 0;
  /// By cudaFreeAsync: no call may name it any more.
  bool IsFreed = false;
};
std::mutex BuffersLock;
std::map<const char *, Buffer> Buffers;

/// Which has \p Data; the end if none. Under the lock.
auto find(const void *Data) {
  const char *const At = static_cast<const char *>(Data);
  auto After = Buffers.upper_bound(At);
  if (After == Buffers.begin())
    return Buffers.end();
  --After;
  return At < After->first + After->second.Bytes ? After : Buffers.end();
}

} // namespace

namespace spmd::standin {

bool expectOnDevice(const void *Data, std::size_t Bytes, const char *Who,
                    bool Replays, int Device) {
  if (!Bytes)
    return true;
  const std::lock_guard<std::mutex> Held(BuffersLock);
  const auto At = find(Data);
  const bool IsIt =
      At != Buffers.end() &&
      static_cast<const char *>(Data) + Bytes <= At->first + At->second.Bytes;
  if (!IsIt)
    complain(std::string(Who) + " is given what is not device memory");
  else if (At->second.IsFreed && !(Replays && At->second.Graph))
    complain(std::string(Who) + " is given memory that has been freed");
  else if (Device >= 0 && At->second.Of->Number != Device)
    complain(std::string(Who) + " is given memory of another device");
  return IsIt;
}

static std::atomic<std::size_t> Downloaded{0};
std::size_t downloaded() { return Downloaded.exchange(0); }

void expectGraphFreed(unsigned long long Graph) {
  const std::lock_guard<std::mutex> Held(BuffersLock);
  for (const auto &[At, B] : Buffers)
    if (B.Graph == Graph && !B.IsFreed)
      complain("a graph allocates what it does not free");
}

} // namespace spmd::standin

using namespace spmd::standin;

cudaError_t cudaMalloc(void **At, std::size_t Bytes) {
  if (const cudaError_t E = expectNoCapture("cudaMalloc"))
    return E;
  char *const Data = new (std::nothrow) char[Bytes ? Bytes : 1];
  if (!Data)
    return cudaErrorMemoryAllocation;
  *At = Data;
  const std::shared_ptr<Device> Of = device();
  const std::lock_guard<std::mutex> Held(BuffersLock);
  Buffers[Data] = {Bytes, Of};
  return cudaSuccess;
}

cudaError_t cudaFree(void *At) {
  if (!At)
    return cudaSuccess;
  if (const cudaError_t E = expectNoCapture("cudaFree"))
    return E;
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

cudaError_t cudaMemPoolCreate(cudaMemPool_t *Pool, const cudaMemPoolProps *) {
  *Pool = reinterpret_cast<cudaMemPool_t>(device().get());
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) {
  return cudaSuccess;
}

// What a pool has had stays, so that late uses meet rubbish and no other
// buffer.
cudaError_t cudaMallocFromPoolAsync(void **At, std::size_t Bytes, cudaMemPool_t,
                                    cudaStream_t S) {
  char *const Data = new (std::nothrow) char[Bytes];
  if (!Data)
    return cudaErrorMemoryAllocation;
  std::memset(Data, 0x5a, Bytes);
  *At = Data;
  unsigned long long Graph = 0;
  cudaStreamCaptureStatus Status;
  cudaStreamGetCaptureInfo(S, &Status, &Graph);
  const std::lock_guard<std::mutex> Held(BuffersLock);
  Buffers[Data] = {Bytes, given(S)->Of, Graph};
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *At, cudaStream_t S) {
  unsigned long long Graph = 0;
  cudaStreamCaptureStatus Status;
  cudaStreamGetCaptureInfo(S, &Status, &Graph);
  std::size_t Bytes = 0;
  {
    const std::lock_guard<std::mutex> Held(BuffersLock);
    const auto Known = Buffers.find(static_cast<char *>(At));
    if (Known == Buffers.end() || Known->second.IsFreed ||
        Known->second.Graph != Graph) {
      complain("memory is freed twice, or in another graph than it is from");
      return cudaErrorInvalidValue;
    }
    Known->second.IsFreed = true;
    Bytes = Known->second.Bytes;
  }
  put(S, [=] { return [=] { std::memset(At, 0xa5, Bytes); }; });
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *Of,
                                     const void *Data) {
  const std::lock_guard<std::mutex> Held(BuffersLock);
  const auto At = find(Data);
  *Of = {};
  // What a graph allocates has no memory while it is captured.
  const bool IsKnown = At != Buffers.end() && !At->second.Graph;
  Of->type = IsKnown ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  Of->device = IsKnown ? At->second.Of->Number : 0;
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *To, int Value, std::size_t Bytes,
                            cudaStream_t S) {
  expectOnDevice(To, Bytes, "cudaMemsetAsync");
  put(S, [=] { return [=] { std::memset(To, Value, Bytes); }; });
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *To, const void *From, std::size_t Bytes,
                            cudaMemcpyKind Kind, cudaStream_t S) {
  if (Kind == cudaMemcpyDeviceToHost)
    Downloaded += Bytes;
  const auto Expect = [=](bool Replays) {
    if (Kind != cudaMemcpyDeviceToHost)
      expectOnDevice(To, Bytes, "cudaMemcpyAsync", Replays);
    if (Kind != cudaMemcpyHostToDevice)
      expectOnDevice(From, Bytes, "cudaMemcpyAsync", Replays);
  };
  const bool Captured = isCapturing(S);
  if (Captured)
    Expect(false);
  put(S, [=] {
    Expect(Captured);
    return [=] { std::memcpy(To, From, Bytes); };
  });
  return cudaSuccess;
}
