// Operators in the capture of a CUDA graph, and its replays.

#include "DeviceCases.h"
#include "Devices.h"
#include "Graph.h"

#include <spmd/async.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace {

using spmd::Axis;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::Work;
using spmd::test::DeviceBuffer;
using spmd::test::Graph;
using spmd::test::onDevices;
using spmd::test::operandOf;
using spmd::test::OwnStream;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Graphs, EveryOperatorDoesInAReplayWhatItDoesOnTheHost) {
  for (const spmd::test::DeviceCase &C : spmd::test::deviceCases()) {
    std::vector<std::vector<std::vector<float>>> Expected;
    for (int Times = 0; Times < 4; ++Times)
      Expected.push_back(onHost(C, Times));
    onDevices(2, [&](int Rank, cudaStream_t Stream) {
      SCOPED_TRACE(C.Name);
      const auto Mine = static_cast<std::size_t>(Rank);
      const Mesh M({{"dp", 2}}, Rank);
      const DeviceBuffer In(Stream, operandOf(Rank, 0));
      const DeviceBuffer Out(Stream, std::vector<float>(8)),
          Once(Stream, std::vector<float>(8));
      C.Run(M, In.view({8}), Once.view({8}));
      EXPECT_EQ(Expected[0][Mine], Once.values());
      const OwnStream Other;
      for (const cudaStream_t On : {Stream, cudaStream_t(Other)}) {
        const auto Here = spmd::on(On);
        const Graph G(On, [&] { C.Run(M, In.view({8}), Out.view({8})); });
        ASSERT_EQ(cudaSuccess, G.Result);
        for (int Times = 1; Times < 4; ++Times) {
          In.set(operandOf(Rank, Times));
          G.replay();
          cudaStreamSynchronize(On);
          EXPECT_EQ(Expected[static_cast<std::size_t>(Times)][Mine],
                    Out.values());
          // Takes memory for packing between replays.
          C.Run(M, In.view({8}), Once.view({8}));
          cudaStreamSynchronize(On);
        }
      }
    });
  }
}

TEST(Graphs, OperatorsOfOneGraphKeepTheirOrder) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, {1}), Y(Stream, {1});
    all_reduce(X.view({1}), A, P, R);
    const Graph G(Stream, [&] {
      Work Sum = all_reduce_async(Y.view({1}), A, P, R);
      all_reduce(X.view({1}), A, P, R);
      EXPECT_TRUE(Sum.done());
      Sum.wait();
      all_reduce(Y.view({1}), A, P, R);
    });
    G.replay();
    G.replay();
    EXPECT_THAT(X.values(), ElementsAre(8));
    EXPECT_THAT(Y.values(), ElementsAre(16));
  });
}

TEST(Graphs, AnAxisIsNotConnectedInACapture) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, {1});
    const Graph G(Stream, [&] {
      EXPECT_THAT([&] { all_reduce(X.view({1}), A, P, R); },
                  ThrowsMessage<spmd::Error>(HasSubstr(
                      "it is used for the first time in the capture of a "
                      "graph: use it once before")));
    });
    all_reduce(X.view({1}), A, P, R);
    EXPECT_THAT(X.values(), ElementsAre(2));
  });
}

TEST(Graphs, AWaitIsInTheCaptureOfItsStart) {
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, {1}), Y(Stream, {1});
    Work Before = all_reduce_async(X.view({1}), A, P, R, {"train.cpp", 3});
    Work Inside;
    const Graph Good(Stream, [&] {
      EXPECT_THAT([&] { Before.wait(); },
                  ThrowsMessage<spmd::Error>(HasSubstr(
                      "it was started before the capture of a graph in which "
                      "it is waited for")));
    });
    EXPECT_EQ(cudaSuccess, Good.Result);
    const Graph Bad(Stream, [&] {
      Inside = all_reduce_async(Y.view({1}), A, P, R, {"train.cpp", 4});
    });
    EXPECT_EQ(cudaErrorStreamCaptureUnjoined, Bad.Result);
    EXPECT_THAT([&] { Inside.wait(); },
                ThrowsMessage<spmd::Error>(HasSubstr(
                    "it was started in the capture of a graph and is waited "
                    "for outside: wait for it before the capture ends")));
    // Nothing of that is in the way of later operators.
    all_reduce(Y.view({1}), A, P, R);
    EXPECT_THAT(Y.values(), ElementsAre(2));
  });
}

TEST(Graphs, TheWatchLeavesCapturesAlone) {
  spmd::set_deadline(std::chrono::milliseconds(200));
  onDevices(2, [](int Rank, cudaStream_t Stream) {
    const Axis A = Mesh({{"dp", 2}}, Rank).axis("dp");
    const DeviceBuffer X(Stream, {1});
    all_reduce(X.view({1}), A, P, R);
    Work Sum = all_reduce_async(X.view({1}), A, P, R);
    Sum.wait();
    const Graph G(Stream, [&] {
      all_reduce(X.view({1}), A, P, R);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    });
    EXPECT_EQ(cudaSuccess, G.Result);
    G.replay();
    EXPECT_THAT(X.values(), ElementsAre(8));
  });
  spmd::set_deadline(std::chrono::milliseconds(0));
}

TEST(StandIn, BreaksOffCaptures) {
  cudaSetDevice(0);
  const OwnStream Stream, Other;
  cudaEvent_t Event;
  cudaEventCreateWithFlags(&Event, cudaEventDisableTiming);
  const auto Breaks = [&](auto Body) {
    const Graph G(Stream, Body);
    return G.Result == cudaErrorStreamCaptureInvalidated;
  };
  void *At = nullptr;
  EXPECT_TRUE(Breaks([&] { cudaMalloc(&At, 4); }));
  EXPECT_TRUE(Breaks([&] { cudaStreamSynchronize(Other); }));
  cudaEventRecord(Event, Other);
  EXPECT_TRUE(Breaks([&] { cudaEventQuery(Event); }));
  EXPECT_TRUE(Breaks([&] { cudaStreamWaitEvent(Stream, Event, 0); }));
  EXPECT_TRUE(Breaks([&] {
    cudaEventRecord(Event, Stream);
    cudaEventQuery(Event);
  }));
  EXPECT_THAT(spmd::standin::complaints(), ::testing::SizeIs(5));
  cudaEventDestroy(Event);
}

} // namespace
