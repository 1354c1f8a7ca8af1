//===- MismatchTest.cpp - Which programs cannot match ---------------------===//

#include "Programs.h"

#include <gtest/gtest.h>

namespace spmd::collectives {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Mismatch, AllRanksCallIt) {
  Source S;
  EXPECT_THAT(S.check({S.barrier()}), IsEmpty());
  EXPECT_TRUE(S.Stats.GivenUp.empty());
}

TEST(Mismatch, OneArmIsEmpty) {
  Source S;
  EXPECT_THAT(
      S.check({S.either(S.equal(S.rank(), S.number(0)), {S.barrier()})}),
      ElementsAre("divergent 1 MPI_Barrier"));
  EXPECT_EQ(S.Witness, "with 2 ranks: rank 0 waits in MPI_Barrier, line 1; "
                       "rank 1 is at its end");
}

TEST(Mismatch, ArmsTogetherCoverAllRanks) {
  Source S;
  const auto *Small = S.either(S.less(S.rank(), S.number(2)), {S.barrier()});
  const auto *Rest = S.either(S.less(S.number(1), S.rank()), {S.barrier()});
  EXPECT_THAT(S.check({Small, Rest}), IsEmpty());
}

TEST(Mismatch, NumbersThatRanksAreComparedWithAreTried) {
  Source S;
  EXPECT_THAT(
      S.check({S.either(S.less(S.rank(), S.number(17)), {S.barrier()})}),
      ElementsAre("divergent 1 MPI_Barrier"));
}

TEST(Mismatch, OrdersDiffer) {
  Source S;
  const auto *A = S.barrier(), *B = S.broadcast(S.number(0));
  const auto *C = S.broadcast(S.number(0)), *D = S.barrier();
  EXPECT_THAT(S.check({S.either(S.odd(), {A, B}, {C, D})}),
              ElementsAre("order 3 MPI_Bcast"));
}

TEST(Mismatch, RootsDiffer) {
  Source S;
  EXPECT_THAT(S.check({S.broadcast(S.odd())}),
              ElementsAre("metadata 1 MPI_Bcast root"));
}

TEST(Mismatch, RootIsNoRank) {
  Source S;
  EXPECT_THAT(S.check({S.broadcast(S.size())}),
              ElementsAre("argument 1 MPI_Bcast root"));
}

TEST(Mismatch, RootNeedsMoreRanks) {
  Source S;
  EXPECT_THAT(S.check({S.broadcast(S.number(20))}), IsEmpty());
}

TEST(Mismatch, InputThatAllRanksHaveIsTriedBothWays) {
  Source S;
  const Expr *Flag = S.P.unknown(Trust::Input);
  const auto *Inner = S.either(S.equal(S.rank(), S.number(0)), {S.barrier()});
  EXPECT_THAT(S.check({S.either(Flag, {Inner})}),
              ElementsAre("divergent 1 MPI_Barrier"));
}

/// Else the branch of the one rank would never be taken.
TEST(Mismatch, UnknownOfOneRankIsTriedBothWays) {
  Source S;
  const Expr *Flag = S.P.unknown(Trust::Unknown);
  const auto *Maybe = S.either(Flag, {S.barrier()});
  EXPECT_THAT(S.check({S.either(S.equal(S.rank(), S.number(0)), {Maybe}, {})}),
              ElementsAre("divergent 1 MPI_Barrier"));
}

/// A failure that ends the program is no way on which all is well.
TEST(Mismatch, UnknownOfOneRankThatEndsAllRefutesNothing) {
  Source S;
  const Expr *Zero = S.equal(S.rank(), S.number(0));
  const auto *Check = S.either(S.P.unknown(Trust::Unknown), {S.stop()});
  const auto *Other = S.either(S.P.unknown(Trust::Unknown), {S.stop()});
  EXPECT_THAT(S.check({S.either(Zero, {Check}, {Other}),
                       S.either(Zero, {S.barrier()})}),
              ElementsAre("divergent 6 MPI_Barrier"));
}

TEST(Mismatch, UnknownsOfRanksMayBelongTogether) {
  Source S;
  const auto *Maybe = S.either(S.P.unknown(Trust::Unknown), {S.barrier()});
  const auto *Also = S.either(S.P.unknown(Trust::Unknown), {S.barrier()});
  EXPECT_THAT(
      S.check({S.either(S.equal(S.rank(), S.number(0)), {Maybe}, {Also})}),
      IsEmpty());
}

TEST(Mismatch, WhateverTheUnknownOfOneRankIs) {
  Source S;
  const Expr *Flag = S.P.unknown(Trust::Unknown);
  const auto *Either = S.either(Flag, {S.barrier()}, {S.barrier()});
  EXPECT_THAT(
      S.check({S.either(S.equal(S.rank(), S.number(0)), {Either}, {})}).size(),
      1u);
}

TEST(Mismatch, VaryingUnknownIsFreeOnEachRank) {
  Source S;
  EXPECT_THAT(S.check({S.either(S.P.unknown(Trust::Varying), {S.barrier()})}),
              ElementsAre("divergent 1 MPI_Barrier"));
}

TEST(Mismatch, WhatHasNoNameIsNotSaid) {
  for (const llvm::StringRef Name : {"n", ""}) {
    Source S;
    const Expr *Input = S.P.load(S.variable(Name));
    const auto *Inner = S.either(S.equal(S.rank(), S.number(0)), {S.barrier()});
    EXPECT_THAT(S.check({S.either(S.equal(Input, S.number(3)), {Inner})}),
                ElementsAre("divergent 1 MPI_Barrier"));
    EXPECT_THAT(S.Witness,
                testing::StartsWith(Name.empty() ? "with 2 ranks:"
                                                 : "with 2 ranks and n == 3:"));
  }
}

TEST(Mismatch, WhatALoopMakesOfVaryingDataVaries) {
  for (const bool Differs : {true, false}) {
    Source S;
    const Expr *Sum = S.variable("sum"), *I = S.variable("i");
    const Expr *Data = S.P.typed(0, S.P.unknown(Trust::Unknown));
    S.P.Differs = {Differs};
    const auto *Begin = S.assign(Sum, S.number(0));
    const auto *Add =
        S.assign(Sum, S.P.binary(Operator::Add, S.P.load(Sum), Data));
    const auto *Next =
        S.assign(I, S.P.binary(Operator::Add, S.P.load(I), S.number(1)));
    const auto *Loop =
        S.repeat(S.less(S.P.load(I), S.P.unknown(Trust::Input)), {Add, Next});
    const auto *If =
        S.either(S.less(S.P.load(Sum), S.number(1)), {S.barrier()});
    EXPECT_EQ(S.check({Begin, Loop, If}).size(), Differs ? 1u : 0u);
  }
}

TEST(Mismatch, SizesThatAreLeftIdleDecideNothing) {
  // Most ranks of many go at once, so that nothing is sent in the first runs.
  Source S;
  const auto *Send = S.call("MPI_Send", {nullptr, S.number(1), nullptr,
                                         S.number(1), S.number(1), S.World});
  const auto *Recv =
      S.call("MPI_Recv", {nullptr, S.number(1), nullptr, S.number(0),
                          S.number(0), S.World, nullptr});
  EXPECT_THAT(S.check({S.either(S.P.unknown(Trust::Varying), {S.leave()}),
                       S.either(S.equal(S.rank(), S.number(0)), {Send}),
                       S.either(S.equal(S.rank(), S.number(1)), {Recv})}),
              testing::Not(IsEmpty()));
}

TEST(Mismatch, RoundsDiffer) {
  Source S;
  const Expr *I = S.variable("i");
  const auto *Add =
      S.assign(I, S.P.binary(Operator::Add, S.P.load(I), S.number(1)));
  const auto *Begin = S.assign(I, S.number(0));
  EXPECT_THAT(S.check({Begin, S.repeat(S.less(S.P.load(I), S.rank()),
                                       {S.barrier(), Add})}),
              ElementsAre("divergent 3 MPI_Barrier"));
}

TEST(Mismatch, UnknownRoundsAreTheSameOnAllRanks) {
  Source S;
  EXPECT_THAT(S.check({S.repeat(S.P.unknown(Trust::Input), {S.barrier()})}),
              IsEmpty());
}

TEST(Mismatch, ARankThatEndsTheProgramEndsAll) {
  Source S;
  EXPECT_THAT(S.check({S.either(S.odd(), {S.stop()}), S.barrier()}), IsEmpty());
}

TEST(Mismatch, ARankReturnsEarly) {
  Source S;
  const auto *Leaves = S.either(S.odd(), {S.leave()});
  EXPECT_THAT(S.check({Leaves, S.barrier()}),
              ElementsAre("divergent 3 MPI_Barrier"));
}

TEST(Mismatch, CodeThatIsNotSeenMayCallIt) {
  Source S;
  const auto *Calls = S.opaque("work");
  EXPECT_THAT(S.check({S.either(S.odd(), {Calls}, {S.barrier()})}), IsEmpty());
}

TEST(Mismatch, AllRanksCallCodeThatIsNotSeen) {
  Source S;
  const auto *Calls = S.opaque("work");
  EXPECT_THAT(S.check({Calls, S.either(S.odd(), {S.barrier()})}),
              ElementsAre("divergent 2 MPI_Barrier"));
}

TEST(Mismatch, WhoGoesOnCallsAgainWhatAllHaveCalled) {
  Source S;
  const auto *Calls = S.opaque("next_batch");
  const auto *One = S.either(S.equal(S.rank(), S.number(0)), {S.barrier()});
  EXPECT_THAT(S.check({S.repeat(S.P.unknown(Trust::Input), {Calls, One})}),
              ElementsAre("divergent 2 MPI_Barrier"));
}

TEST(Mismatch, BroadcastTellsAllRanksTheRootsValue) {
  Source S;
  const Expr *N = S.variable("n");
  const auto *Set = S.assign(N, S.rank());
  const auto *Tell = S.call("MPI_Bcast", {S.P.address(N), S.number(1),
                                          S.P.name("MPI_INT", std::nullopt),
                                          S.number(0), S.World});
  EXPECT_THAT(
      S.check({Set, Tell,
               S.either(S.equal(S.P.load(N), S.number(0)), {S.barrier()})}),
      IsEmpty());
}

TEST(Mismatch, TypesDiffer) {
  Source S;
  const Expr *Int = S.P.name("MPI_INT", std::nullopt),
             *Float = S.P.name("MPI_FLOAT", std::nullopt);
  const auto Bcast = [&](const Expr *T) {
    return S.call("MPI_Bcast", {nullptr, S.number(4), T, S.number(0), S.World});
  };
  const auto *A = Bcast(Int), *B = Bcast(Float);
  EXPECT_THAT(S.check({S.either(S.odd(), {A}, {B})}),
              ElementsAre("metadata 2 MPI_Bcast datatype"));
}

TEST(Mismatch, OnlyMembersOfASplitMeet) {
  Source S;
  const Expr *Half = S.variable("half");
  const auto *Split =
      S.call("MPI_Comm_split", {S.World, S.odd(), S.rank(), S.P.address(Half)});
  const auto *Meet = S.call("MPI_Barrier", {S.P.load(Half)});
  EXPECT_THAT(S.check({Split, S.either(S.odd(), {Meet})}), IsEmpty());
}

//===--- Messages ---------------------------------------------------------===//

/// Sends and receives, with what is the same of all.
class Messages : public testing::Test {
protected:
  const Stmt *message(llvm::StringRef Name, const Expr *Peer, int Tag = 0,
                      const char *Type = "MPI_INT", int Count = 1) {
    return S.call(Name, {nullptr, S.number(Count), S.P.name(Type, std::nullopt),
                         Peer, S.number(Tag), S.World});
  }
  /// Of two ranks: others have no part in it.
  std::vector<std::string> between(std::vector<const Stmt *> First,
                                   std::vector<const Stmt *> Second) {
    const auto *Rest =
        S.either(S.equal(S.rank(), S.number(1)), std::move(Second));
    return S.check(
        {S.either(S.equal(S.rank(), S.number(0)), std::move(First), {Rest})});
  }
  Source S;
};

TEST_F(Messages, Match) {
  const auto *Send = message("MPI_Send", S.number(1));
  EXPECT_THAT(between({Send}, {message("MPI_Recv", S.number(0))}), IsEmpty());
}

TEST_F(Messages, TagsDiffer) {
  const auto *Send = message("MPI_Send", S.number(1), 3);
  EXPECT_THAT(between({Send}, {message("MPI_Recv", S.number(0), 4)}),
              ElementsAre("metadata 1 MPI_Send tag"));
}

TEST_F(Messages, TypesDiffer) {
  const auto *Send = message("MPI_Send", S.number(1), 0, "MPI_FLOAT");
  EXPECT_THAT(between({Send}, {message("MPI_Recv", S.number(0))}),
              ElementsAre("metadata 2 MPI_Recv datatype"));
}

TEST_F(Messages, ReceivesMayBeLarger) {
  const auto *Send = message("MPI_Send", S.number(1));
  EXPECT_THAT(
      between({Send}, {message("MPI_Recv", S.number(0), 0, "MPI_INT", 4)}),
      IsEmpty());
}

TEST_F(Messages, ReceivesAreNotSmaller) {
  const auto *Send = message("MPI_Send", S.number(1), 0, "MPI_INT", 4);
  EXPECT_THAT(between({Send}, {message("MPI_Recv", S.number(0))}),
              ElementsAre("metadata 2 MPI_Recv count"));
}

TEST_F(Messages, BothSendFirst) {
  const auto *Send = message("MPI_Send", S.number(1)),
             *Recv = message("MPI_Recv", S.number(1)),
             *Other = message("MPI_Send", S.number(0)),
             *Last = message("MPI_Recv", S.number(0));
  EXPECT_THAT(between({Send, Recv}, {Other, Last}),
              ElementsAre("order 1 MPI_Send"));
  EXPECT_EQ(S.Witness,
            "with 2 ranks: rank 0 waits for rank 1 in MPI_Send, line 1; rank 1 "
            "waits for rank 0 in MPI_Send, line 3");
}

TEST_F(Messages, CopiedOnesWaitForNobody) {
  const auto *Send = message("MPI_Bsend", S.number(1)),
             *Recv = message("MPI_Recv", S.number(1)),
             *Other = message("MPI_Bsend", S.number(0)),
             *Last = message("MPI_Recv", S.number(0));
  EXPECT_THAT(between({Send, Recv}, {Other, Last}), IsEmpty());
}

TEST_F(Messages, NobodySends) {
  EXPECT_THAT(between({message("MPI_Recv", S.number(1))}, {}),
              ElementsAre("divergent 1 MPI_Recv"));
}

TEST_F(Messages, CallersMayHaveTheOtherEnd) {
  S.IsMain = false;
  EXPECT_THAT(between({message("MPI_Recv", S.number(1))}, {}), IsEmpty());
}

TEST_F(Messages, FromAnyRankNobodyKnows) {
  const Expr *Any = S.P.name("MPI_ANY_SOURCE", rules::CallConstant::AnySource);
  EXPECT_THAT(between({message("MPI_Recv", Any)}, {}), IsEmpty());
  ASSERT_EQ(S.Stats.GivenUp.size(), 1u);
  EXPECT_EQ(S.Stats.GivenUp.front().Why, GiveUpReason::AnySource);
}

} // namespace
} // namespace spmd::collectives
