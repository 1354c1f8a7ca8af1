//===- CheckPropagationTest.cpp - How Reduced could spread ----------------===//

#include "spmd/oracle/CheckPropagation.h"

#include "gtest/gtest.h"

using namespace spmd::rules;
using namespace spmd::oracle;

namespace {

/// Neither "any input" nor "all inputs" keeps gradients right where Reduced
/// meets Replicate; where the inputs agree both do.
TEST(CheckPropagation, BothRulesAreWrongOnMixedInputs) {
  for (const PropagationCase &C : propagationCases()) {
    if (C.A == C.B)
      EXPECT_EQ(C.counterexample(), "");
    else
      EXPECT_NE(C.counterexample(), "")
          << opClassName(C.Class) << letter(C.A) << letter(C.B);
  }
}

TEST(CheckPropagation, GatheringToReducedHalvesTheBackward) {
  for (int N = 2; N <= 4; ++N) {
    for (unsigned Seed = 1; Seed != 20; ++Seed)
      EXPECT_EQ(compareGathers(N, Seed), "");
    const GatherCost Cost = backwardOfGather(24, N);
    EXPECT_DOUBLE_EQ(Cost.ToReduced, 24.0 * (N - 1) / N);
    EXPECT_DOUBLE_EQ(2 * Cost.ToReduced, Cost.ToReplicate);
  }
}

} // namespace
