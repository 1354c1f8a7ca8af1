//===- ControlFlowTest.cpp - Where ways part and meet again ---------------===//

#include "spmd/ir/ControlFlow.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// "0->1 1->2 ..." as the flow of a function without facts.
struct Flow {
  explicit Flow(std::vector<std::vector<unsigned>> Edges) {
    for (const auto &Of : Edges) {
      Block B;
      for (unsigned To : Of)
        B.Successors.push_back(BlockId(To));
      F.Blocks.push_back(B);
    }
  }
  static std::string list(const BlockSet &Of) {
    std::string Out;
    for (unsigned B : Of)
      Out += (Out.empty() ? "" : " ") + std::to_string(B);
    return Out;
  }
  /// "between; meeting(before) …; iterations"
  std::string divergenceAt(std::uint32_t B) const {
    const DivergentRegion P = ControlFlow(F).divergenceAt(B);
    std::string Out = list(P.Between) + ";";
    for (const DivergentRegion::Reconvergence &M : P.Reconvergences)
      Out += " " + std::to_string(M.At) + "(" + list(M.Before) + ")";
    return Out + "; " + list(P.Iterations);
  }
  Function F;
};

TEST(ControlFlow, TheWaysOfABranchMeetBehindIt) {
  EXPECT_EQ(Flow({{1, 2}, {3}, {3}, {}}).divergenceAt(0), "1 2; 3(1 2); ");
  EXPECT_EQ(Flow({{1, 2}, {2}, {}}).divergenceAt(0), "1; 2(1); ");
}

TEST(ControlFlow, WaysThatReturnMeetAtTheExit) {
  EXPECT_EQ(Flow({{1, 2}, {}, {}}).divergenceAt(0), "1 2; 3(1 2); ");
}

TEST(ControlFlow, AWayThatNeverReturnsMeetsNothing) {
  EXPECT_EQ(Flow({{1, 2}, {1}, {}}).divergenceAt(0), ";; ");
}

TEST(ControlFlow, WhatPartsWithinOneWayIsNoMeetingOfTheOuterBranch) {
  const Flow Nested({{1, 5}, {2, 3}, {4}, {4}, {5}, {}});
  EXPECT_EQ(Nested.divergenceAt(0), "1 2 3 4; 5(1 2 3 4); ");
  EXPECT_EQ(Nested.divergenceAt(1), "2 3; 4(2 3); ");
}

TEST(ControlFlow, WhatPartsAfterAMeetingIsNoMeetingEither) {
  // if (a || b) { if (c) ...; } -- the branch on a.
  const Flow Or({{1, 2}, {2, 6}, {3, 4}, {5}, {5}, {6}, {}});
  EXPECT_EQ(Or.divergenceAt(0), "1 2 3 4 5; 2(1) 6(1 2 3 4 5); ");
}

TEST(ControlFlow, SomeRanksMakeMoreRoundsOfALoop) {
  EXPECT_EQ(Flow({{1}, {2, 3}, {1}, {}}).divergenceAt(1), "1 2;; 1 2");
}

TEST(ControlFlow, WhoLeavesALoopEarlyMeetsTheOthersBehindIt) {
  // while (u) { if (c) break; ... } -- the branch on c.
  EXPECT_EQ(Flow({{1}, {2, 4}, {4, 3}, {1}, {}}).divergenceAt(2),
            "1 2 3; 4(1 2 3); 1 2 3");
}

TEST(ControlFlow, WhoSkipsARoundMeetsTheOthersInIt) {
  // while (u) { if (c) continue; ... } with a common end of the body.
  EXPECT_EQ(Flow({{1}, {2, 5}, {3, 4}, {4}, {1}, {}}).divergenceAt(2),
            "3; 4(3); ");
}

} // namespace
