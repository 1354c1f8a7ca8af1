//===- DeviceBuffer.h - Numbers on a device ---------------------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_CASES_DEVICEBUFFER_H
#define SPMD_TEST_UNIT_RUNTIME_CASES_DEVICEBUFFER_H

#include <spmd/view.h>

#include <cuda_runtime_api.h>

#include <vector>

namespace spmd::test {

/// A stream of the thread's device, until it ends.
class OwnStream {
public:
  OwnStream() { cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking); }
  ~OwnStream() { cudaStreamDestroy(S); }
  OwnStream(const OwnStream &) = delete;
  OwnStream &operator=(const OwnStream &) = delete;
  operator cudaStream_t() const { return S; }

private:
  cudaStream_t S = nullptr;
};

/// A buffer of a device, filled and read through a stream.
class DeviceBuffer {
public:
  DeviceBuffer(cudaStream_t On, const std::vector<float> &Of)
      : On(On), Count(Of.size()) {
    void *At = nullptr;
    cudaMalloc(&At, Count * sizeof(float));
    Data = static_cast<float *>(At);
    set(Of);
  }
  ~DeviceBuffer() { cudaFree(Data); }
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &operator=(const DeviceBuffer &) = delete;

  View view(const Shape &As) const { return View(Data, As); }
  /// Waits for the stream, as the next function does.
  void set(const std::vector<float> &To) const {
    copy(Data, To.data(), cudaMemcpyHostToDevice);
  }
  std::vector<float> values() const {
    std::vector<float> Out(Count);
    copy(Out.data(), Data, cudaMemcpyDeviceToHost);
    return Out;
  }

private:
  void copy(void *To, const void *From, cudaMemcpyKind Kind) const {
    cudaMemcpyAsync(To, From, Count * sizeof(float), Kind, On);
    cudaStreamSynchronize(On);
  }

  cudaStream_t On;
  float *Data = nullptr;
  std::size_t Count;
};

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_CASES_DEVICEBUFFER_H
