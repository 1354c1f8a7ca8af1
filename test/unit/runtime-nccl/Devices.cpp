#include "Devices.h"

#include "RankBackend.h"

#include <gtest/gtest.h>

#include <thread>

namespace spmd::test {

void onDevices(int N, const std::function<void(int, cudaStream_t)> &Body) {
  const auto Before = set_backend(std::make_shared<RankBackend>());
  const std::vector<ncclComm_t> World = standin::world(N);
  std::vector<std::thread> Ranks;
  for (int Rank = 0; Rank < N; ++Rank)
    Ranks.emplace_back([&, Rank] {
      const ncclComm_t Comm = World[static_cast<std::size_t>(Rank)];
      cudaSetDevice(Rank);
      cudaStream_t Stream;
      cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);
      {
        RankBackend::mine() = nccl_backend(Comm, Stream);
        Body(Rank, Stream);
        cudaStreamSynchronize(Stream);
        RankBackend::mine() = nullptr;
      }
      cudaStreamDestroy(Stream);
      ncclCommDestroy(Comm);
    });
  for (std::thread &T : Ranks)
    T.join();
  set_backend(Before);
  EXPECT_EQ(std::vector<std::string>(), standin::complaints());
}

} // namespace spmd::test
