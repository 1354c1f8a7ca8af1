#include "Devices.h"

#include <gtest/gtest.h>

#include <thread>

namespace spmd::test {
namespace {

thread_local Backend *Mine = nullptr;

/// Ranks are threads here and processes elsewhere: each has its own backend.
struct OfThisThread final : Backend {
  const char *name() const override { return "nccl"; }
  std::shared_ptr<Communicator> connect(const Axis &A) override {
    return Mine->connect(A);
  }
  Memory &memory() override { return Mine->memory(); }
};

} // namespace

void onDevices(int N, const std::function<void(int, cudaStream_t)> &Body) {
  const auto Before = set_backend(std::make_shared<OfThisThread>());
  const std::vector<ncclComm_t> World = standin::world(N);
  std::vector<std::thread> Ranks;
  for (int Rank = 0; Rank < N; ++Rank)
    Ranks.emplace_back([&, Rank] {
      const ncclComm_t Comm = World[static_cast<std::size_t>(Rank)];
      cudaSetDevice(Rank);
      cudaStream_t Stream;
      cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);
      {
        const std::shared_ptr<Backend> Over = nccl_backend(Comm, Stream);
        Mine = Over.get();
        Body(Rank, Stream);
        cudaStreamSynchronize(Stream);
      }
      cudaStreamDestroy(Stream);
      ncclCommDestroy(Comm);
    });
  for (std::thread &T : Ranks)
    T.join();
  set_backend(Before);
  EXPECT_EQ(std::vector<std::string>(), standin::complaints());
}

DeviceBuffer::DeviceBuffer(cudaStream_t On, const std::vector<float> &Of)
    : On(On), Count(Of.size()) {
  void *At = nullptr;
  cudaMalloc(&At, Count * sizeof(float));
  Data = static_cast<float *>(At);
  cudaMemcpyAsync(Data, Of.data(), Count * sizeof(float),
                  cudaMemcpyHostToDevice, On);
  cudaStreamSynchronize(On);
}

DeviceBuffer::~DeviceBuffer() { cudaFree(Data); }

std::vector<float> DeviceBuffer::values() const {
  std::vector<float> Out(Count);
  cudaMemcpyAsync(Out.data(), Data, Count * sizeof(float),
                  cudaMemcpyDeviceToHost, On);
  cudaStreamSynchronize(On);
  return Out;
}

} // namespace spmd::test
