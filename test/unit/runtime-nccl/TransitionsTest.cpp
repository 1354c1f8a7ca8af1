// The transition table over the NCCL communicator, on the stand-in.

#include "Devices.h"
#include "ElementCases.h"
#include "ProfileCases.h"
#include "TransitionCases.h"

#include <gtest/gtest.h>

namespace {

using spmd::Axis;

struct Nccl final : spmd::test::Launcher {
  void run(int N, const std::function<void(const Axis &)> &Body) override {
    spmd::test::onDevices(N, [&](int Rank, cudaStream_t) {
      Body(spmd::Mesh({{"a", N}}, Rank).axis("a"));
    });
  }
};

class EveryRow : public ::testing::TestWithParam<std::size_t> {};

TEST_P(EveryRow, ForwardAndBackward) {
  Nccl On;
  spmd::test::checkRow(spmd::rules::Transitions[GetParam()], 4, On);
}

TEST(Transitions, EveryElementType) {
  Nccl On;
  spmd::test::checkElements(On);
}

TEST(Transitions, AreToldToTheProfiler) {
  Nccl On;
  spmd::test::checkProfile(On);
}

INSTANTIATE_TEST_SUITE_P(Transitions, EveryRow,
                         ::testing::Range(std::size_t(0),
                                          std::size(spmd::rules::Transitions)));

} // namespace
