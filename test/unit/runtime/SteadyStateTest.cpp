#include "SteadyState.h"

#include <gtest/gtest.h>

namespace {

void onThreads(long (*Count)(const spmd::Axis &)) {
  spmd::run_local(2, [Count](int Rank) {
    EXPECT_EQ(0, Count(spmd::Mesh({{"a", 2}}, Rank).axis("a")));
  });
}

TEST(SteadyState, CallsAllocateNothing) {
  onThreads(spmd::test::allocationsInCalls);
}

TEST(SteadyState, StartsAllocateNothing) {
  onThreads(spmd::test::allocationsInStarts);
}

TEST(SteadyState, PlansAllocateNothing) {
  spmd::run_local(2, [](int Rank) {
    EXPECT_EQ(0, spmd::test::allocationsInPlans({{{"tp", 2}}, Rank}));
  });
}

} // namespace
