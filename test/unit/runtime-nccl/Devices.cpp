#include "Devices.h"

#include <gtest/gtest.h>

namespace spmd::test {

void onDevices(int N, const std::function<void(int, cudaStream_t)> &Body) {
  const std::vector<ncclComm_t> World = standin::world(N);
  run_local(N, [&](int Rank) {
    const ncclComm_t Comm = World[static_cast<std::size_t>(Rank)];
    cudaSetDevice(Rank);
    {
      const OwnStream Stream;
      set_backend(nccl_backend(Comm, Stream));
      Body(Rank, Stream);
      cudaStreamSynchronize(Stream);
      set_backend(nullptr);
    }
    ncclCommDestroy(Comm);
  });
  EXPECT_EQ(std::vector<std::string>(), standin::complaints());
}

} // namespace spmd::test
