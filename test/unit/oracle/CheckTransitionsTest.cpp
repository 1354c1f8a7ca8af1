//===- CheckTransitionsTest.cpp - The table of operators, by numbers ------===//

#include "spmd/oracle/CheckTransitions.h"

#include "gtest/gtest.h"

#include <map>

using namespace spmd::rules;
using namespace spmd::oracle;

namespace {

TEST(CheckTransitions, EveryRowDoesWhatItSays) {
  for (const TransitionCell &C : transitionCells()) {
    EXPECT_EQ(checkForward(C), "");
    EXPECT_EQ(checkBackward(C), "");
  }
}

TEST(CheckTransitions, EveryRowOccurs) {
  std::map<const Transition *, unsigned> Cells;
  for (const TransitionCell &C : transitionCells())
    ++Cells[findTransition(C.Row.Op, C.Row.Src, C.Row.Dst)];
  for (const Transition &T : Transitions)
    EXPECT_GT(Cells[&T], 3u) << operatorName(T.Op) << letter(T.Src);
}

TEST(CheckTransitions, WhatIsSaidToChangeTheMeaningDoes) {
  for (const TransitionCell &C : transitionCells())
    if (!C.Row.KeepsMeaning && C.N > 1) {
      EXPECT_TRUE(changesMeaning(C)) << C.str();
    }
}

/// Among the operators with the right types the stated backward is the only
/// right one.
TEST(CheckTransitions, NoOtherBackwardIsRight) {
  for (TransitionCell C : transitionCells()) {
    // Numbers have no dim that another operator could split.
    if (C.N == 1 || C.Meaning.size() == 1)
      continue;
    const OperatorKind Stated = C.Row.BackwardOp;
    for (const Transition &Other : Transitions) {
      if (Other.Op == Stated || Other.Src != C.Row.BackwardSrc ||
          Other.Dst != C.Row.BackwardDst)
        continue;
      C.Row.BackwardOp = Other.Op;
      EXPECT_NE(checkBackward(C), "")
          << C.str() << " backward " << operatorName(Other.Op);
    }
  }
}

TEST(CheckTransitions, AWrongTableIsFound) {
  TransitionCell C{
      *findTransition(OperatorKind::AllReduce, LocalType::P, LocalType::I),
      {LocalType::P, std::nullopt},
      {LocalType::I, std::nullopt},
      {1},
      2};
  C.Row.BackwardOp = OperatorKind::AllReduce;
  EXPECT_EQ(checkBackward(C),
            "all_reduce(P -> I), [1], 2 ranks: the gradient [1 | 1] becomes "
            "[2 | 2], which is wrong along [1 | 0]");
  C.Row = *findTransition(OperatorKind::Convert, LocalType::R, LocalType::P);
  C.Src.Type = LocalType::R;
  C.Dst.Type = LocalType::P;
  C.Row.Op = OperatorKind::Reinterpret;
  EXPECT_EQ(checkForward(C), "reinterpret(R -> P), [1], 2 ranks: [1 | 1] "
                             "becomes [1 | 1], which does not mean the same");
}

} // namespace
