// The stream that a call goes to, and the device of what it is given.

#include "Devices.h"

#include <spmd/async.h>
#include <spmd/bootstrap.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <random>
#include <thread>

namespace {

using spmd::Axis;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::test::DeviceBuffer;
using spmd::test::onDevices;
using spmd::test::OwnStream;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Axis dpOf(int Rank) { return Mesh({{"dp", 2}}, Rank).axis("dp"); }

TEST(CallStreams, AnOperatorGoesToTheStreamThatIsSaid) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = dpOf(Rank);
    const OwnStream Other;
    const DeviceBuffer X(Other, {1}), Y(Stream, {1});
    std::promise<void> Gate;
    spmd::standin::put(
        Stream, [&Gate] { return [&Gate] { Gate.get_future().wait(); }; });
    {
      const auto Here = spmd::on(Other);
      all_reduce(X.view({1}), A, P, R);
      spmd::scale(X.view({1}), A, 2);
      EXPECT_THAT(X.values(), ElementsAre(4));
    }
    Gate.set_value();
    all_reduce(Y.view({1}), A, P, R);
    EXPECT_THAT(Y.values(), ElementsAre(2));
  });
}

// Also where ranks take other streams for the same call.
TEST(CallStreams, OperatorsOnSeveralStreamsRunInTheOrderOfCalls) {
  onDevices(2, [](int Rank, cudaStream_t) {
    const Axis A = dpOf(Rank);
    std::minstd_rand Random(static_cast<unsigned>(Rank + 1));
    const OwnStream Streams[3];
    std::vector<std::unique_ptr<DeviceBuffer>> X, Y;
    for (const OwnStream &S : Streams) {
      X.push_back(
          std::make_unique<DeviceBuffer>(S, std::vector<float>{1, 2, 3, 4}));
      Y.push_back(std::make_unique<DeviceBuffer>(S, std::vector<float>(8)));
    }
    for (int Step = 0; Step < 100; ++Step) {
      const std::size_t On = Random() % 3;
      const auto Here = spmd::on(Streams[On]);
      const spmd::View In = X[On]->view({2, 2}), Out = Y[On]->view({2, 4});
      if (Random() % 2)
        all_gather(In, Out, A, S(1), R);
      else
        all_gather_async(In, Out, A, S(1), R).wait();
    }
    for (const auto &Of : Y)
      EXPECT_THAT(Of->values(),
                  ::testing::AnyOf(ElementsAre(1, 2, 1, 2, 3, 4, 3, 4),
                                   ::testing::Each(0)));
  });
}

TEST(CallStreams, AStreamMayEndBeforeTheNextOperator) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = dpOf(Rank);
    const DeviceBuffer X(Stream, {1});
    {
      const OwnStream Short;
      const auto Here = spmd::on(Short);
      all_reduce(X.view({1}), A, P, R);
      cudaStreamSynchronize(Short);
    }
    all_reduce(X.view({1}), A, P, R);
    EXPECT_THAT(X.values(), ElementsAre(4));
  });
}

TEST(CallStreams, ANullStreamIsAnError) {
  EXPECT_THAT(
      [] { const auto Here = spmd::on(nullptr); },
      ThrowsMessage<spmd::Error>(HasSubstr("spmd::on: the stream is null")));
}

TEST(CallStreams, MemoryOfTheHostIsRefused) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = dpOf(Rank);
    float Host[8] = {};
    const DeviceBuffer X(Stream, {1, 2});
    const std::string Why = "memory, this axis works on that of CUDA device " +
                            std::to_string(Rank);
    EXPECT_THAT([&] { all_reduce(spmd::View(Host, {2}), A, P, R); },
                ThrowsMessage<spmd::Error>(
                    HasSubstr("the operand is in the host's " + Why)));
    EXPECT_THAT(
        [&] { all_gather(X.view({2}), spmd::View(Host, {4}), A, S(0), R); },
        ThrowsMessage<spmd::Error>(
            HasSubstr("the result is in the host's " + Why)));
    const spmd::View Strided = spmd::View(Host, {2, 4}).slice(1, 0, 1);
    EXPECT_THAT([&] { all_reduce(Strided, A, P, R); },
                ThrowsMessage<spmd::Error>(HasSubstr("in the host's")));
    EXPECT_THAT([&] { (void)all_reduce_async(Strided, A, P, R); },
                ThrowsMessage<spmd::Error>(HasSubstr("in the host's")));
    EXPECT_THAT([&] { spmd::scale(spmd::View(Host, {2}), A, 2); },
                ThrowsMessage<spmd::Error>(HasSubstr("in the host's")));
  });
}

TEST(CallStreams, MemoryOfAnotherDeviceIsRefused) {
  std::promise<float *> Made;
  const std::shared_future<float *> Foreign = Made.get_future().share();
  void *At = nullptr;
  onDevices(2, [&](int Rank, cudaStream_t Stream) {
    const Axis A = dpOf(Rank);
    const DeviceBuffer X(Stream, {1});
    if (Rank == 1) {
      cudaMalloc(&At, 4);
      Made.set_value(static_cast<float *>(At));
      return;
    }
    EXPECT_THAT(
        [&] { all_reduce(spmd::View(Foreign.get(), {1}), A, P, R); },
        ThrowsMessage<spmd::Error>(HasSubstr(
            "the operand is in the memory of CUDA device 1, this axis works "
            "on that of CUDA device 0")));
  });
  cudaSetDevice(0);
  cudaFree(At);
}

TEST(CallStreams, TheDeviceOfTheAxisIsToBeCurrent) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = dpOf(Rank);
    const DeviceBuffer X(Stream, {1});
    A.communicator();
    cudaSetDevice(1 - Rank);
    EXPECT_THAT([&] { all_reduce(X.view({1}), A, P, R); },
                ThrowsMessage<spmd::Error>(
                    HasSubstr("CUDA device " + std::to_string(1 - Rank) +
                              " is current, this axis is on device " +
                              std::to_string(Rank))));
    cudaSetDevice(Rank);
  });
}

TEST(CallStreams, NcclIsAskedForWhatTheProgramWants) {
  spmd::run_local(2, [](int Rank) {
    cudaSetDevice(Rank);
    ncclConfig_t Config = NCCL_CONFIG_INITIALIZER;
    Config.maxCTAs = 4;
    const spmd::Job Job = spmd::init();
    const auto Over = nccl_backend(Job, nullptr, Config);
    Over->connect(Job.mesh({{"dp", 2}}).axis("dp"));
    EXPECT_EQ(4, spmd::standin::latestMaxCtas());
  });
}

/// Says of the last all_gather whether its parts were called even.
struct Spy final : spmd::Communicator {
  int size() const override { return 2; }
  int rank() const override { return 0; }
  const char *kind() const override { return "spy"; }
  void allReduce(const spmd::Call &, const void *, void *,
                 std::int64_t) override {}
  void allGather(const spmd::Call &, const void *, void *,
                 const spmd::Counts &Parts) override {
    WasEven = Parts.even();
  }
  void reduceScatter(const spmd::Call &, const void *, void *,
                     const spmd::Counts &) override {}
  void allToAll(const spmd::Call &, const void *, const spmd::Counts &, void *,
                const spmd::Counts &) override {}
  bool WasEven = false;
};

// For which NCCL has a call of its own, and no group of broadcasts.
TEST(CallStreams, PartsOfEqualSizesAreEven) {
  const auto Over = std::make_shared<Spy>();
  const Axis A("dp", Over);
  float X[4] = {}, Y[6] = {};
  all_gather(spmd::View(X, {2}), spmd::View(Y, {4}), A, S(0, {2, 2}), R);
  EXPECT_TRUE(Over->WasEven);
  all_gather(spmd::View(X, {2}), spmd::View(Y, {6}), A, S(0, {2, 4}), R);
  EXPECT_FALSE(Over->WasEven);
}

TEST(CallStreams, ACommunicatorOfOursEndsAfterItsOperators) {
  spmd::run_local(2, [](int Rank) {
    cudaSetDevice(Rank);
    const OwnStream Stream;
    const DeviceBuffer X(Stream, {1});
    const spmd::Job Job = spmd::init();
    {
      const auto Over = nccl_backend(Job, Stream);
      const Axis Dp = Job.mesh({{"dp", 2}}).axis("dp");
      const Axis A("dp", Over->connect(Dp));
      spmd::standin::put(Stream, [] {
        return
            [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
      });
      all_reduce(X.view({1}), A, P, R);
    }
    EXPECT_THAT(X.values(), ElementsAre(2));
  });
  EXPECT_THAT(spmd::standin::complaints(), ElementsAre());
}

TEST(StandIn, SeesCommunicatorsInOrdersThatWaitForEachOther) {
  const std::vector<ncclComm_t> One = spmd::standin::world(2),
                                Two = spmd::standin::world(2);
  std::vector<std::thread> Ranks;
  std::promise<void> Gate;
  const std::shared_future<void> Open = Gate.get_future().share();
  std::promise<void> Issued[2];
  for (const std::size_t Rank : {0, 1})
    Ranks.emplace_back([&, Rank] {
      cudaSetDevice(static_cast<int>(Rank));
      const OwnStream First, Second;
      const DeviceBuffer X(First, {1}), Y(Second, {1});
      for (const cudaStream_t S : {cudaStream_t(First), cudaStream_t(Second)})
        spmd::standin::put(S, [Open] { return [Open] { Open.wait(); }; });
      const auto Sum = [](ncclComm_t Comm, const DeviceBuffer &Of,
                          cudaStream_t On) {
        void *const At = Of.view({1}).data();
        ncclAllReduce(At, At, 1, ncclFloat32, ncclSum, Comm, On);
      };
      Sum((Rank ? Two : One)[Rank], X, First);
      Sum((Rank ? One : Two)[Rank], Y, Second);
      Issued[Rank].set_value();
      Open.wait();
      cudaStreamSynchronize(First);
      cudaStreamSynchronize(Second);
      ncclCommDestroy(One[Rank]);
      ncclCommDestroy(Two[Rank]);
    });
  for (std::promise<void> &P : Issued)
    P.get_future().wait();
  Gate.set_value();
  for (std::thread &T : Ranks)
    T.join();
  EXPECT_THAT(spmd::standin::complaints(),
              Contains(HasSubstr("in orders that wait for each other")));
}

} // namespace
