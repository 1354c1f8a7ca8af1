// Operators on devices, beside what the ranks of the host get: at once, on
// other streams, in graphs, and where a rank does not come. For two ranks.

#include "Ranks.h"
#include "DeviceBuffer.h"
#include "DeviceCases.h"
#include "Graph.h"

#include <spmd/async.h>
#include <spmd/deadline.h>
#include <spmd/nccl_buffer.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace {

using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::View;
using spmd::test::DeviceBuffer;
using spmd::test::deviceCases;
using spmd::test::Graph;
using spmd::test::onRanks;
using spmd::test::operandOf;
using spmd::test::OwnStream;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class TwoRanks : public ::testing::Test {
protected:
  void SetUp() override {
    if (spmd::test::ranks() != 2)
      GTEST_SKIP() << "for two ranks";
  }
};

class EveryRow : public ::testing::TestWithParam<std::size_t> {
protected:
  static void SetUpTestSuite() {
    On = std::make_unique<spmd::test::OnDevices>();
  }
  static void TearDownTestSuite() { On.reset(); }
  static std::unique_ptr<spmd::test::OnDevices> On;
};
std::unique_ptr<spmd::test::OnDevices> EveryRow::On;

TEST_P(EveryRow, ForwardAndBackward) {
  spmd::test::checkRow(spmd::rules::Transitions[GetParam()],
                       std::min(2, spmd::test::ranks()), *On);
}

INSTANTIATE_TEST_SUITE_P(Transitions, EveryRow,
                         ::testing::Range(std::size_t(0),
                                          std::size(spmd::rules::Transitions)));

class EveryCase : public ::testing::TestWithParam<std::size_t> {
protected:
  void SetUp() override {
    if (spmd::test::ranks() != 2)
      GTEST_SKIP() << "for two ranks";
    for (int Times = 0; Times < 4; ++Times)
      Expected.push_back(onHost(Case, Times));
  }
  const std::vector<float> &expected(int Rank, int Times) const {
    return Expected[static_cast<std::size_t>(Times)]
                   [static_cast<std::size_t>(Rank)];
  }

  const spmd::test::DeviceCase &Case = deviceCases()[GetParam()];
  std::vector<std::vector<std::vector<float>>> Expected;
};

TEST_P(EveryCase, IsWhatTheHostGets) {
  onRanks([&](const Mesh &M, cudaStream_t Stream) {
    const OwnStream Other;
    for (const cudaStream_t On : {Stream, cudaStream_t(Other)})
      for (int Times = 0; Times < 4; ++Times) {
        const auto Here = spmd::on(On);
        const DeviceBuffer In(On, operandOf(M.rank(), Times)),
            Out(On, std::vector<float>(8));
        Case.Run(M, In.view({8}), Out.view({8}));
        EXPECT_EQ(expected(M.rank(), Times), Out.values()) << Case.Name;
      }
  });
}

TEST_P(EveryCase, IsTheSameInAGraph) {
  onRanks([&](const Mesh &M, cudaStream_t Stream) {
    const DeviceBuffer In(Stream, operandOf(M.rank(), 0)),
        Out(Stream, std::vector<float>(8)), Once(Stream, std::vector<float>(8));
    Case.Run(M, In.view({8}), Once.view({8}));
    const Graph G(Stream, [&] { Case.Run(M, In.view({8}), Out.view({8})); });
    ASSERT_EQ(cudaSuccess, G.Result) << Case.Name;
    for (int Times = 1; Times < 4; ++Times) {
      In.set(operandOf(M.rank(), Times));
      G.replay();
      cudaStreamSynchronize(Stream);
      EXPECT_EQ(expected(M.rank(), Times), Out.values()) << Case.Name;
      Case.Run(M, In.view({8}), Once.view({8}));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryCase,
                         ::testing::Range(std::size_t(0),
                                          deviceCases().size()));

/// A communicator of one rank, which operators leave out.
TEST(OneRank, NcclGivesBackWhatItIsGiven) {
  onRanks(1, [](const Mesh &, cudaStream_t Stream) {
    ncclUniqueId Id;
    ASSERT_EQ(ncclSuccess, ncclGetUniqueId(&Id));
    ncclConfig_t Config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t Comm = nullptr;
    ASSERT_EQ(ncclSuccess, ncclCommInitRankConfig(&Comm, 1, Id, 0, &Config));
    {
      const spmd::Axis A(
          "one", std::make_shared<spmd::NcclCommunicator>(Comm, Stream));
      spmd::Communicator &Over = *A.communicator();
      const spmd::Placement Any = {spmd::LocalType::V};
      const DeviceBuffer X(Stream, operandOf(1, 1)),
          Y(Stream, std::vector<float>(8));
      const auto Expect = [&](const char *What) {
        EXPECT_EQ(operandOf(1, 1), Y.values()) << What;
        Y.set(std::vector<float>(8));
      };
      using spmd::rules::OperatorKind;
      const spmd::Call C = {OperatorKind::AllReduce, A,   Any, Any,
                            spmd::DType::F32,        {8}, {}};
      const spmd::Counts All(8);
      void *const In = X.view({8}).data(), *const Out = Y.view({8}).data();
      Over.allReduce(C, In, Out, 8);
      Expect("allReduce");
      Over.allGather(C, In, Out, All);
      Expect("allGather");
      Over.reduceScatter(C, In, Out, All);
      Expect("reduceScatter");
      Over.allToAll(C, In, All, Out, All);
      Expect("allToAll");
    }
    ncclCommDestroy(Comm);
  });
}

TEST_F(TwoRanks, MemoryOfTheHostIsRefused) {
  onRanks([](const Mesh &M, cudaStream_t) {
    std::vector<float> Host(4);
    EXPECT_THAT(
        [&] { all_reduce(View(Host.data(), {4}), M.axis("dp"), P, R); },
        ThrowsMessage<spmd::Error>(HasSubstr("is in the host's memory")));
  });
}

TEST_F(TwoRanks, ARankThatDoesNotComeIsAnErrorAndTheJobGoesOn) {
  const auto Before = spmd::deadline();
  spmd::set_deadline(std::chrono::seconds(5));
  onRanks([](const Mesh &M, cudaStream_t Stream) {
    const spmd::Axis A = M.axis("dp");
    const DeviceBuffer X(Stream, {1});
    all_reduce(X.view({1}), A, P, R);
    EXPECT_EQ(std::vector<float>{2}, X.values());
    if (M.rank() == 1) {
      // Of processes, one that goes is missed at once.
      if (!spmd::test::areThreads())
        std::this_thread::sleep_for(std::chrono::seconds(7));
      return;
    }
    std::string Why;
    try {
      all_reduce(X.view({1}), A, P, R);
      cudaStreamSynchronize(Stream);
      for (int Try = 0; Try < 600; ++Try) {
        all_reduce(X.view({1}), A, P, R);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    } catch (const spmd::Error &E) {
      Why = E.what();
    }
    EXPECT_THAT(Why, HasSubstr("a rank did not come within 5000 ms"));
  });
  spmd::set_deadline(Before);
  onRanks([](const Mesh &M, cudaStream_t Stream) {
    const DeviceBuffer X(Stream, {1});
    all_reduce(X.view({1}), M.axis("dp"), P, R);
    EXPECT_EQ(std::vector<float>{2}, X.values());
  });
}

TEST_F(TwoRanks, MemoryThatNcclKnows) {
  onRanks([](const Mesh &M, cudaStream_t Stream) {
    const spmd::NcclBuffer X(8, M.axis("dp"));
    float Host[2] = {1, 2};
    cudaMemcpyAsync(X.data(), Host, sizeof Host, cudaMemcpyHostToDevice,
                    Stream);
    all_reduce(X.view<float>({2}), M.axis("dp"), P, R);
    cudaMemcpyAsync(Host, X.data(), sizeof Host, cudaMemcpyDeviceToHost,
                    Stream);
    cudaStreamSynchronize(Stream);
    EXPECT_THAT(Host, ::testing::ElementsAre(2, 4));
  });
}

} // namespace
