// Memory that is registered with communicators.

#include "Devices.h"

#include <spmd/bootstrap.h>
#include <spmd/nccl_buffer.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using spmd::Axis;
using spmd::Mesh;
using spmd::NcclBuffer;
using spmd::P;
using spmd::R;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

void sumIn(const NcclBuffer &X, const Axis &A, cudaStream_t On) {
  float Host[2] = {1, 2};
  cudaMemcpyAsync(X.data(), Host, sizeof Host, cudaMemcpyHostToDevice, On);
  all_reduce(X.view<float>({2}), A, P, R);
  cudaMemcpyAsync(Host, X.data(), sizeof Host, cudaMemcpyDeviceToHost, On);
  cudaStreamSynchronize(On);
  EXPECT_THAT(Host, ElementsAre(2, 4));
}

TEST(NcclBuffers, AreWindowsThatAllRanksHave) {
  spmd::test::onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const NcclBuffer X(8, A);
    EXPECT_EQ(8u, X.bytes());
    EXPECT_EQ(NcclBuffer::Known::AsWindow, X.known());
    sumIn(X, A, Stream);
  });
  EXPECT_THAT(spmd::standin::registered(), Pair(0, 0));
}

TEST(NcclBuffers, AreRegisteredByEachRankWhereThereAreNoWindows) {
  spmd::standin::setMakesWindows(false);
  spmd::test::onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const NcclBuffer X(8, A);
    EXPECT_EQ(NcclBuffer::Known::OnThisRank, X.known());
    sumIn(X, A, Stream);
  });
  spmd::standin::setMakesWindows(true);
  EXPECT_THAT(spmd::standin::registered(), Pair(0, 0));
}

TEST(NcclBuffers, SayWhatIsWrong) {
  spmd::test::onDevices(2, [](int Rank, cudaStream_t) {
    const Mesh M({{"dp", 2}, {"one", 1}}, Rank);
    EXPECT_THAT([&] { NcclBuffer(0, M.axis("dp")); },
                ThrowsMessage<spmd::Error>(
                    HasSubstr("spmd::NcclBuffer of 0 bytes over axis 'dp' of "
                              "2 ranks: no bytes are asked for")));
    EXPECT_EQ(NcclBuffer::Known::No, NcclBuffer(4, M.axis("one")).known());
    EXPECT_THAT(
        [&] { NcclBuffer(Rank ? 8 : 16, M.axis("dp")); },
        ThrowsMessage<spmd::Error>(HasSubstr("ncclCommWindowRegister")));
  });
  spmd::run_local(2, [](int Rank) {
    cudaSetDevice(Rank);
    EXPECT_THAT([&] { NcclBuffer(4, Mesh({{"dp", 2}}, Rank).axis("dp")); },
                ThrowsMessage<spmd::Error>(
                    HasSubstr("the axis is not over NCCL, but over local")));
  });
}

TEST(NcclBuffers, ARankThatMakesNoneIsAnError) {
  spmd::set_deadline(std::chrono::milliseconds(200));
  spmd::test::onDevices(2, [](int Rank, cudaStream_t) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    A.communicator();
    if (Rank == 0)
      EXPECT_THAT([&] { NcclBuffer(8, A); },
                  ThrowsMessage<spmd::Error>(
                      HasSubstr("a rank did not come within 200 ms")));
  });
  spmd::set_deadline(std::chrono::milliseconds(0));
}

} // namespace
