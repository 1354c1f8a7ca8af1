// Host memory over threads and a device's over NCCL, on one mesh.

#include "Devices.h"
#include "GroupCases.h"

#include <spmd/async.h>
#include <spmd/bootstrap.h>
#include <spmd/redistribute.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace {

using spmd::Axis;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::View;
using spmd::test::DeviceBuffer;
using spmd::test::OwnStream;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// GPUs as threads: each rank has a device, and host memory goes over threads.
void onBoth(const std::function<void(const Mesh &, cudaStream_t)> &Body,
            int Ranks = 2) {
  spmd::run_local(Ranks, [&](int Rank) {
    cudaSetDevice(Rank);
    const OwnStream Stream;
    const spmd::Job Job = spmd::init();
    spmd::set_backend(
        spmd::host_and_device(nullptr, nccl_backend(Job, Stream)));
    Body(Job.mesh({{"dp", Ranks}}), Stream);
    cudaStreamSynchronize(Stream);
    spmd::set_backend(nullptr);
  });
  EXPECT_THAT(spmd::standin::complaints(), ElementsAre());
}

TEST(TwoBackends, TheMemoryOfTheOperandDecides) {
  onBoth([](const Mesh &M, cudaStream_t Stream) {
    const Axis A = M.axis("dp");
    float Host[2] = {1, 2};
    const DeviceBuffer Device(Stream, {3, 4});
    for (const View &X : {View(Host, {2}), Device.view({2})}) {
      all_reduce(X, A, P, R);
      all_reduce_async(X, A, P, R).wait();
      spmd::scale(X, A, 2);
    }
    EXPECT_THAT(Host, ElementsAre(8, 16));
    EXPECT_THAT(Device.values(), ElementsAre(24, 32));
  });
}

TEST(TwoBackends, StridesPiecesAndPlansAreOfTheSameMemory) {
  onBoth([](const Mesh &M, cudaStream_t Stream) {
    const Axis A = M.axis("dp");
    const auto Mine = static_cast<float>(10 * M.rank());
    float HostX[4] = {Mine, Mine + 1, Mine + 2, Mine + 3}, HostY[8] = {},
          HostZ[4] = {};
    const DeviceBuffer X(Stream, {Mine, Mine + 1, Mine + 2, Mine + 3}),
        Y(Stream, std::vector<float>(8)), Z(Stream, std::vector<float>(4));
    const auto Run = [&](const View &X, const View &Y, const View &Z) {
      all_gather_async(X.transposed(0, 1), Y, A, S(1), R).wait();
      redistribute(Y, Z, M, "[2, 4]{dp: R}", "[2, 4@dp]");
      redistribute_async(Z, Y, M, "[2, 4@dp]", "[2, 4]{dp: R}").wait();
    };
    Run(View(HostX, {2, 2}), View(HostY, {2, 4}), View(HostZ, {2, 2}));
    Run(X.view({2, 2}), Y.view({2, 4}), Z.view({2, 2}));
    EXPECT_THAT(HostY, ElementsAre(0, 2, 10, 12, 1, 3, 11, 13));
    EXPECT_THAT(Y.values(), ::testing::ElementsAreArray(HostY));
    EXPECT_THAT(Z.values(), ::testing::ElementsAreArray(HostZ));
  });
}

TEST(TwoBackends, BuffersAreOfOneKind) {
  onBoth([](const Mesh &M, cudaStream_t Stream) {
    const Axis A = M.axis("dp");
    float Host[4] = {};
    const DeviceBuffer X(Stream, {1, 2});
    EXPECT_THAT([&] { all_gather(X.view({2}), View(Host, {4}), A, S(0), R); },
                ThrowsMessage<spmd::Error>(HasSubstr(
                    "spmd::all_gather(S(0) -> R) of f32[2] over axis 'dp' of "
                    "2 ranks: the operand is in the memory of a device, the "
                    "result in that of the host")));
    EXPECT_THAT(
        [&] {
          redistribute(View(Host, {4}), X.view({2}), M, "[4]{dp: R}", "[4@dp]");
        },
        ThrowsMessage<spmd::Error>(HasSubstr("the operand is in the memory of "
                                             "the host")));
    float *None = nullptr;
    EXPECT_THAT([&] { all_reduce(View(None, {0}), A, P, R); },
                ThrowsMessage<spmd::Error>(
                    HasSubstr("neither elements nor an address")));
    all_reduce(View(Host, {0}), A, P, R);
    // Of the host, and of the device.
    spmd::barrier(A);
    const auto Here = spmd::on(Stream);
    spmd::barrier(A);
  });
}

// As a backward does.
TEST(TwoBackends, AThreadOfARankCallsInItsPlace) {
  onBoth([](const Mesh &M, cudaStream_t Stream) {
    const Axis A = M.axis("dp");
    float Host[1] = {1};
    const DeviceBuffer X(Stream, {1});
    std::thread([&] {
      cudaSetDevice(M.rank());
      for (const View &Of : {View(Host, {1}), X.view({1})}) {
        all_reduce(Of, A, P, R);
        redistribute(Of, Of, M, "[1]{dp: P}", "[1]{dp: R}");
      }
    }).join();
    EXPECT_EQ(4, Host[0]);
    EXPECT_THAT(X.values(), ElementsAre(4));
  });
}

TEST(TwoBackends, ADeviceIsNeeded) {
  EXPECT_THAT(
      [] { (void)spmd::host_and_device(nullptr, nullptr); },
      ThrowsMessage<spmd::Error>(HasSubstr("device's backend is null")));
}

TEST(Groups, OverNcclOfAJob) {
  onBoth(
      [](const Mesh &M, cudaStream_t Stream) {
        spmd::test::checkGroups(M);
        const Axis A = M.group("ends", {{3, 0, 1}});
        const DeviceBuffer X(Stream, {static_cast<float>(M.rank())}),
            All(Stream, std::vector<float>(3));
        if (A.size() == 1)
          return;
        all_gather(X.view({1}), All.view({3}), A, S(0), R);
        all_reduce(X.view({1}), A, P, R);
        EXPECT_THAT(All.values(), ElementsAre(3, 0, 1));
        EXPECT_THAT(X.values(), ElementsAre(4));
      },
      4);
}

TEST(Groups, OfAllRanksAreSplitOffACommunicator) {
  spmd::test::onDevices(4, [](int Rank, cudaStream_t Stream) {
    const Mesh M({{"dp", 4}}, Rank);
    const DeviceBuffer X(Stream, {static_cast<float>(Rank + 1)});
    all_reduce(X.view({1}), M.group("pairs", {{3, 0}, {1, 2}}), P, R);
    EXPECT_THAT(X.values(), ElementsAre(5));
    const Axis Three = M.group("three", {{3, 0, 1}});
    if (Rank != 2)
      EXPECT_THAT([&] { all_reduce(X.view({1}), Three, P, R); },
                  ThrowsMessage<spmd::Error>(
                      HasSubstr("ranks are alone on it, and to split a "
                                "communicator takes all")));
  });
}

} // namespace
