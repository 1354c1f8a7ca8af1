// The transition table on threads as ranks.

#include "ElementCases.h"
#include "TransitionCases.h"

#include <gtest/gtest.h>

namespace {

using spmd::Axis;
using spmd::View;
using spmd::rules::Transition;

struct Threads : spmd::test::Launcher {
  void run(int N, const std::function<void(const Axis &)> &Body) override {
    spmd::run_local(
        N, [&](int Rank) { Body(spmd::Mesh({{"a", N}}, Rank).axis("a")); });
  }
};

class EveryRow : public ::testing::TestWithParam<std::size_t> {};

/// An even number of ranks is two axes, flattened, with another one between
/// them, on one half of which nothing runs.
struct FlattenedThreads : spmd::test::Launcher {
  void run(int N, const std::function<void(const Axis &)> &Body) override {
    const int Outer = N % 2 ? 1 : 2;
    spmd::run_local(2 * N, [&](int Rank) {
      const spmd::Mesh M({{"a", Outer}, {"x", 2}, {"b", N / Outer}}, Rank);
      const Axis Both = M.flatten({"a", "b"});
      if (M.rank("x") == 0)
        Body(Both);
    });
  }
};

TEST_F(EveryRow, EveryElementType) {
  Threads On;
  spmd::test::checkElements(On);
}

TEST_P(EveryRow, ForwardAndBackward) {
  Threads On;
  spmd::test::checkRow(spmd::rules::Transitions[GetParam()], 4, On);
}

TEST_P(EveryRow, OnFlattenedAxes) {
  FlattenedThreads On;
  spmd::test::checkRow(spmd::rules::Transitions[GetParam()], 4, On);
}

INSTANTIATE_TEST_SUITE_P(Transitions, EveryRow,
                         ::testing::Range(std::size_t(0),
                                          std::size(spmd::rules::Transitions)));

TEST(AllToAll, OfAListExchangesItsEntries) {
  spmd::run_local(3, [](int Rank) {
    const spmd::Axis A = spmd::Mesh({{"a", 3}}, Rank).axis("a");
    float In[6], Out[6];
    for (int Q = 0; Q < 3; ++Q)
      In[2 * Q] = In[2 * Q + 1] = static_cast<float>(10 * Rank + Q);
    all_to_all(View(In, {3, 2}), View(Out, {3, 2}), A, spmd::V, spmd::V);
    for (int Q = 0; Q < 3; ++Q)
      EXPECT_EQ(10 * Q + Rank, Out[2 * Q + 1]);
  });
}

} // namespace
