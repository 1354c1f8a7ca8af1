// Tensors of a device over NCCL: the current stream, and whose memory it is.

#include "Devices.h"
#include "Tensors.h"

#include <spmd/bootstrap.h>
#include <spmd/torch.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace {

using spmd::Axis;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::TensorWork;
using spmd::test::onDevice;
using spmd::test::onDevices;
using spmd::test::OwnStream;
using spmd::test::recorded;
using spmd::test::setCurrent;
using spmd::test::valuesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

Axis dpOf(int Rank) { return Mesh({{"dp", 2}}, Rank).axis("dp"); }

TEST(CudaTensors, OperatorsGoToTheCurrentStream) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = dpOf(Rank);
    const OwnStream Now;
    setCurrent(Now);
    std::promise<void> Gate;
    spmd::standin::put(
        Stream, [&Gate] { return [&Gate] { Gate.get_future().wait(); }; });
    const at::Tensor X = onDevice({1, 2}, {1, 2});
    EXPECT_THAT(valuesOf(all_reduce(X, A, P, R), Now), ElementsAre(2, 4));
    EXPECT_THAT(valuesOf(all_gather(X, A, S(1), R), Now),
                ElementsAre(1, 2, 1, 2));
    EXPECT_THAT(valuesOf(all_reduce_async(X, A, P, R).wait(), Now),
                ElementsAre(2, 4));
    // Nothing has left the stream that it was made for.
    EXPECT_THAT(recorded(), ElementsAre());
    Gate.set_value();
    setCurrent(nullptr);
  });
}

TEST(CudaTensors, AWaitOnAnotherStreamRecordsTheTensorsThere) {
  onDevices(2, [](int Rank, cudaStream_t) {
    const Axis A = dpOf(Rank);
    const OwnStream Now, Later;
    setCurrent(Now);
    const at::Tensor X = onDevice({1, 2}, {2});
    TensorWork Sum = all_reduce_async(X, A, P, R);
    setCurrent(Later);
    const at::Tensor Y = Sum.wait();
    EXPECT_THAT(recorded(),
                ElementsAre(Pair(X.data_ptr(), cudaStream_t(Later)),
                            Pair(Y.data_ptr(), cudaStream_t(Later))));
    EXPECT_THAT(valuesOf(Y, Later), ElementsAre(2, 4));
    setCurrent(nullptr);
  });
}

TEST(CudaTensors, TheDeviceOfATensorIsCurrentMeanwhile) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = dpOf(Rank);
    setCurrent(Stream);
    const at::Tensor X = onDevice({1}, {1});
    A.communicator();
    cudaSetDevice(3);
    const at::Tensor Y = all_reduce(X, A, P, R);
    int Now = 0;
    cudaGetDevice(&Now);
    EXPECT_EQ(3, Now);
    cudaSetDevice(Rank);
    EXPECT_THAT(valuesOf(Y, Stream), ElementsAre(2));
    setCurrent(nullptr);
  });
}

TEST(CudaTensors, TensorsOfTheHostAreRefused) {
  onDevices(2, [](int Rank, cudaStream_t) {
    const Axis A = dpOf(Rank);
    EXPECT_THAT([&] { (void)all_reduce(at::ones({2}), A, P, R); },
                ThrowsMessage<spmd::Error>(HasSubstr(
                    "spmd::all_reduce: the operand is a tensor on cpu, this "
                    "axis works on the memory of a CUDA device")));
    EXPECT_THAT([&] { (void)all_gather_async(at::ones({2}), A, S(0), R); },
                ThrowsMessage<spmd::Error>(HasSubstr("a tensor on cpu")));
    const Mesh M({{"dp", 2}}, Rank);
    EXPECT_THAT([&] { (void)redistribute(at::ones({2}), M, "[4@dp]", "[4]"); },
                ThrowsMessage<spmd::Error>(HasSubstr("a tensor on cpu")));
  });
}

TEST(CudaTensors, TensorsOfADeviceAreRefusedOnTheHost) {
  spmd::run_local(2, [](int Rank) {
    cudaSetDevice(Rank);
    EXPECT_THAT([&] { (void)all_reduce(onDevice({1}, {1}), dpOf(Rank), P, R); },
                ThrowsMessage<spmd::Error>(HasSubstr(
                    "the operand is a tensor on cuda:" + std::to_string(Rank) +
                    ", this axis works on the memory of the host")));
  });
}

// Of one axis and one program.
TEST(CudaTensors, TensorsOfTheHostGoOverGlooAndTheOthersOverNccl) {
  const auto Store = c10::make_intrusive<c10d::HashStore>();
  spmd::run_local(2, [&](int Rank) {
    cudaSetDevice(Rank);
    const OwnStream Now;
    setCurrent(Now);
    const spmd::Job Job = spmd::init();
    spmd::set_backend(spmd::host_and_device(
        spmd::c10d_backend([&](const Axis &A) {
          const auto Options = c10d::ProcessGroupGloo::Options::create();
          Options->devices.push_back(
              c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
          return c10::intrusive_ptr<c10d::ProcessGroup>(
              c10::make_intrusive<c10d::ProcessGroupGloo>(Store, A.rank(),
                                                          A.size(), Options));
        }),
        nccl_backend(Job, Now)));
    const Mesh M = Job.mesh({{"dp", 2}});
    const Axis A = M.axis("dp");
    const at::Tensor X = at::ones({2}).requires_grad_();
    all_reduce(X, A, P, R).sum().backward();
    EXPECT_TRUE(at::equal(X.grad(), at::full({2}, 2.F)));
    const at::Tensor Y = onDevice({1, 2}, {2});
    EXPECT_THAT(valuesOf(all_reduce(Y, A, P, R), Now), ElementsAre(2, 4));
    EXPECT_THAT(valuesOf(all_reduce_async(Y, A, P, R).wait(), Now),
                ElementsAre(2, 4));
    EXPECT_THAT(valuesOf(redistribute(Y, M, "[2]{dp: P}", "[2]{dp: R}"), Now),
                ElementsAre(2, 4));
    EXPECT_TRUE(
        at::equal(redistribute(at::ones({2}), M, "[2]{dp: P}", "[2]{dp: R}"),
                  at::full({2}, 2.F)));
    EXPECT_STREQ("c10d", A.communicator()->kind());
    setCurrent(nullptr);
    spmd::set_backend(nullptr);
  });
  EXPECT_THAT(spmd::standin::complaints(), ElementsAre());
}

} // namespace
