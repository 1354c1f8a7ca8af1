//===- ReasonsTest.cpp - What a program need not be run again for ---------===//

#include "Programs.h"

#include <gtest/gtest.h>

namespace spmd::collectives {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WhatMatters : public testing::Test {
protected:
  /// Which comes out true first.
  const Expr *input() { return S.P.unknown(Trust::Input); }
  const Stmt *set(const Expr *Into, std::int64_t To) {
    return S.assign(Into, S.number(To));
  }
  /// Wrong where \p When holds.
  const Stmt *ofOneRank(const Expr *When) {
    return S.either(When,
                    {S.either(S.equal(S.rank(), S.number(0)), {S.barrier()})});
  }
  const Stmt *log() { return S.opaque("log"); }

  Source S;
  const Expr *Flag = S.variable("flag"), *Pointer = S.variable("pointer");
};

TEST_F(WhatMatters, WhatDecidesAboutNoCallIsNotTriedOtherwise) {
  Source::Body All;
  for (int Times = 0; Times < 20; ++Times)
    All.push_back(S.either(input(), {log()}));
  All.push_back(S.barrier());
  EXPECT_THAT(S.check(All), IsEmpty());
  EXPECT_EQ(1U, S.Stats.Runs);
  EXPECT_THAT(S.Stats.GivenUp, IsEmpty());
}

TEST_F(WhatMatters, NorAreOtherNumbersOfRanks) {
  const auto *First = S.either(S.equal(S.rank(), S.number(0)), {log()});
  EXPECT_THAT(S.check({First, S.barrier()}), IsEmpty());
  EXPECT_EQ(1U, S.Stats.Runs);
}

TEST_F(WhatMatters, CallsHangOnWhatEitherArmWrites) {
  const auto *Off = set(Flag, 0),
             *Maybe = S.either(input(), {log()}, {set(Flag, 1)});
  EXPECT_THAT(S.check({Off, Maybe, ofOneRank(S.P.load(Flag))}),
              ElementsAre("divergent 5 MPI_Barrier"));
}

TEST_F(WhatMatters, AlsoThroughAPointer) {
  const auto *Off = set(Flag, 0),
             *Points = S.assign(Pointer, S.P.address(Flag)),
             *On = set(S.P.target(S.P.load(Pointer)), 1);
  EXPECT_THAT(S.check({Off, Points, S.either(input(), {log()}, {On}),
                       ofOneRank(S.P.load(Flag))}),
              ElementsAre("divergent 6 MPI_Barrier"));
}

TEST_F(WhatMatters, AlsoWhereThePointerIsChosen) {
  const Expr *Other = S.variable("other");
  const auto *Off = set(Flag, 0),
             *Elsewhere = S.assign(Pointer, S.P.address(Other)),
             *Points = S.assign(Pointer, S.P.address(Flag)),
             *On = set(S.P.target(S.P.load(Pointer)), 1);
  EXPECT_THAT(S.check({Off, Elsewhere, S.either(input(), {log()}, {Points}), On,
                       ofOneRank(S.P.load(Flag))}),
              ElementsAre("divergent 7 MPI_Barrier"));
}

TEST_F(WhatMatters, AlsoWhereAnArmMakesThePointerThatItWritesThrough) {
  const auto *Off = set(Flag, 0),
             *Points = S.assign(Pointer, S.P.address(Flag)),
             *On = set(S.P.target(S.P.load(Pointer)), 1);
  EXPECT_THAT(S.check({Off, S.either(input(), {log()}, {Points, On}),
                       ofOneRank(S.P.load(Flag))}),
              ElementsAre("divergent 6 MPI_Barrier"));
}

TEST_F(WhatMatters, AlsoWhereALoopIsLeft) {
  const Expr *Round = S.variable("round");
  const auto *Begin = set(Round, 0), *Ends = S.either(input(), {S.breakOut()}),
             *Says = log(),
             *Next = S.assign(Round, S.P.binary(Operator::Add, S.P.load(Round),
                                                S.number(1)));
  const auto *Rounds =
      S.repeat(S.less(S.P.load(Round), S.number(3)), {Ends, Says, Next});
  EXPECT_THAT(S.check({Begin, Rounds,
                       ofOneRank(S.equal(S.P.load(Round), S.number(3)))}),
              ElementsAre("divergent 7 MPI_Barrier"));
}

TEST_F(WhatMatters, ToEndIsNothingWhereNobodyCallsAnythingAfterwards) {
  const auto *Ends = S.either(S.equal(S.rank(), S.number(0)), {S.leave()});
  EXPECT_THAT(S.check({S.barrier(), Ends, log()}), IsEmpty());
  EXPECT_EQ(1U, S.Stats.Runs);
}

TEST_F(WhatMatters, ToEndIsSomethingWhereOthersCall) {
  const auto *Ends = S.either(S.equal(S.rank(), S.number(1)), {S.leave()});
  EXPECT_THAT(S.check({Ends, S.barrier()}),
              ElementsAre("divergent 3 MPI_Barrier"));
}

TEST_F(WhatMatters, ACallOfTheNumberOfRanksIsTriedWithOthers) {
  EXPECT_THAT(S.check({ofOneRank(S.equal(S.size(), S.number(4)))}),
              ElementsAre("divergent 1 MPI_Barrier"));
}

} // namespace
} // namespace spmd::collectives
