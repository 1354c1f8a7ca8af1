//===- PlanRepairsTest.cpp - Violations in, ranked repairs out ------------===//

#include "spmd/fixits/RepairTrials.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;
using namespace spmd::fixits;

namespace {

constexpr const char *Actions[] = {
    "wrap",    "remove", "remove-call", "axis",   "source",
    "replace", "expert", "shortcut",    "reduce", "redistribute"};

/// One line per repair: "*wrap 1 convert(R,P)" with `*` for the preferred one
/// and `?` for one that may change the program's meaning.
std::vector<std::string> repairs(llvm::StringRef Text) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  InferenceOptions Options;
  Options.FindRedundant = true;
  const InferenceResult Result = inferModule(*M, Options);
  if (Result.Violations.size() != 1)
    return {std::to_string(Result.Violations.size()) + " violations"};
  std::vector<std::string> Out;
  RepairTrials Trials(*M, Options, Result.Violations);
  for (const Repair &R : Trials.plan(Result.Violations[0])) {
    std::string Line =
        (R.Preferred ? "*" : "") + std::string(R.Safe ? "" : "?");
    Line += Actions[static_cast<int>(R.A)];
    if (R.A == Repair::Action::WrapOperand ||
        R.A == Repair::Action::Redistribute)
      Line += " " + std::to_string(R.Operand);
    if (R.A == Repair::Action::ChangeAxis)
      Line += " " + R.Axis;
    if (R.A == Repair::Action::ChangeSource)
      Line += " " + printAtom(R.NewSource);
    for (const Step &S : R.Steps)
      Line += " " + std::string(operatorName(S.Row->Op)) + "(" +
              printAtom(S.from()) + "," + printAtom(S.to()) +
              (S.Axis.empty() ? "" : "," + S.Axis) + ")";
    if (R.ToType)
      Line += " to " + printTypeSpec(*R.ToType);
    Out.push_back(std::move(Line));
  }
  return Out;
}

/// Repairs of one op on parameters of these types.
std::vector<std::string> ofOp(llvm::StringRef Op, llvm::StringRef A,
                              llvm::StringRef B) {
  return repairs(("func @f(%a: \"tp: " + A + "\", %b: \"tp: " + B +
                  "\") {\nb0:\n  %2 = op " + Op + "(%a, %b) @1:1\n  ->\n}")
                     .str());
}

using Plan = std::vector<std::string>;

TEST(PlanRepairs, InvariantMix) {
  EXPECT_EQ(ofOp("mul", "R", "I"), Plan{"*wrap 1 reinterpret(I,R)"});
  EXPECT_EQ(ofOp("add", "I", "V"), Plan{"*wrap 0 reinterpret(I,R)"});
}

TEST(PlanRepairs, PartialAddKeepsThePendingSum) {
  EXPECT_EQ(ofOp("add", "P", "R"),
            (Plan{"*wrap 1 convert(R,P)", "wrap 0 all_reduce(P,R)"}));
  EXPECT_EQ(ofOp("add", "P", "I"),
            (Plan{"*wrap 1 reinterpret(I,R) convert(R,P)",
                  "wrap 0 all_reduce(P,I)"}));
  EXPECT_EQ(ofOp("add", "P", "V"),
            (Plan{"wrap 0 all_reduce(P,R)", "?wrap 1 reinterpret(V,P)"}));
  EXPECT_EQ(ofOp("add", "P", "S(0)"),
            (Plan{"*wrap 0 reduce_scatter(P,S(0))", "wrap 0 all_reduce(P,R)",
                  "?wrap 1 reinterpret(V,P)"}));
}

TEST(PlanRepairs, ASumOfTermsIsOneOfAPendingSum) {
  EXPECT_EQ(repairs(R"ir(
func @f(%x: "tp: P", %tp axis "tp") {
b0:
  %2 = all_reduce %x on %tp from V to R
  ->
})ir"),
            Plan{"*source P"});
}

// The gradient of what is R is a pending sum, whatever the loss is said to be.
TEST(PlanRepairs, ALossOfReplicasIsNotMendedByAWord) {
  const auto Loss = [](llvm::StringRef Weight) {
    return repairs(("func @f(%x: \"dp: V\", %w: \"dp: " + Weight +
                    "\") {\nb0:\n  %2 = op mul(%x, %w)\n  backward %2\n  "
                    "->\n}")
                       .str());
  };
  EXPECT_EQ(Loss("V"), Plan{"*wrap 0 reinterpret(V,P)"});
  EXPECT_EQ(Loss("R"), Plan{"?wrap 0 reinterpret(V,P)"});
}

// What is written in place of the operand would be lost.
TEST(PlanRepairs, WhatAnOpWritesStaysItsOwn) {
  EXPECT_EQ(repairs("func @f(%a: \"tp: R\", %b: \"tp: P\") {\nb0:\n  %2 = op "
                    "add(%a, %b) into %a @1:1\n  ->\n}"),
            Plan{"*wrap 1 all_reduce(P,R)"});
  EXPECT_EQ(repairs("func @f(%a: \"tp: I\", %b: \"tp: R\") {\nb0:\n  %2 = op "
                    "add(%a, %b) into %a @1:1\n  ->\n}"),
            Plan{});
}

TEST(PlanRepairs, ProductsAndNonlinearOpsReduceFirst) {
  EXPECT_EQ(ofOp("mul", "P", "P")[0], "*wrap 0 all_reduce(P,R)");
  EXPECT_EQ(repairs("func @f(%a: \"tp: P\") {\nb0:\n  %1 = op gelu(%a)\n  "
                    "->\n}"),
            (Plan{"*wrap 0 all_reduce(P,R)", "wrap 0 all_reduce(P,I)"}));
}

TEST(PlanRepairs, WhatFollowsChoosesBetweenEqualRepairs) {
  EXPECT_EQ(repairs(R"ir(
func @f(%a: "tp: P", %b: "tp: I") -> "tp: I" {
b0:
  %2 = op log(%a !2:3) @2:1
  %3 = op add(%2, %b) @3:1
  require return %3 "tp: I" @4:1
  ->
}
)ir"),
            Plan{"*wrap 0 all_reduce(P,I)"});
}

TEST(PlanRepairs, ADoubledReductionGoes) {
  EXPECT_EQ(repairs(R"ir(
func @f(%x: "tp: R", %tp axis "tp") {
b0:
  %2 = all_reduce %x on %tp from P to R
  ->
})ir")[0],
            "*remove");
  EXPECT_EQ(repairs(R"ir(
func @f(%x: "tp: I", %tp axis "tp") {
b0:
  all_reduce %x on %tp into %x
  ->
})ir")[0],
            "*remove");
}

TEST(PlanRepairs, TheRightAxisIsFound) {
  EXPECT_EQ(repairs(R"ir(
func @f(%x: "tp: R, dp: P", %tp axis "tp") {
b0:
  %2 = all_reduce %x on %tp from P to R
  ->
})ir")[0],
            "*axis dp");
}

TEST(PlanRepairs, Transitions) {
  EXPECT_EQ(repairs(R"ir(
func @f(%x: "tp: R", %tp axis "tp") {
b0:
  %2 = reinterpret %x on %tp from R to I
  ->
})ir"),
            Plan{"?expert"});
  EXPECT_EQ(repairs(R"ir(
func @f(%x: "tp: P", %tp axis "tp") {
b0:
  %2 = reinterpret %x on %tp from P to R
  ->
})ir"),
            Plan{"*replace all_reduce(P,R)"});
}

TEST(PlanRepairs, Contracts) {
  const auto Return = [](llvm::StringRef Was, llvm::StringRef Wanted) {
    return repairs(("func @f(%x: \"tp: " + Was + "\") -> \"tp: " + Wanted +
                    "\" {\nb0:\n  return %x\n  ->\n}")
                       .str());
  };
  EXPECT_EQ(Return("P", "R"), Plan{"*wrap 0 all_reduce(P,R)"});
  EXPECT_EQ(Return("P", "I"), Plan{"*wrap 0 all_reduce(P,I)"});
  EXPECT_EQ(Return("I", "R"), Plan{"*wrap 0 reinterpret(I,R)"});
  EXPECT_EQ(Return("R", "P"), Plan{"*wrap 0 convert(R,P)"});
  EXPECT_EQ(Return("V", "R"), (Plan{"?wrap 0 reinterpret(V,P) all_reduce(P,R)",
                                    "?wrap 0 all_gather(V,R)"}));
  EXPECT_EQ(Return("S(0)", "R"), Plan{"?wrap 0 all_gather(V,R)"});
  EXPECT_EQ(Return("V", "P"), Plan{"?wrap 0 reinterpret(V,P)"});
}

TEST(PlanRepairs, Shortcuts) {
  EXPECT_EQ(repairs(R"ir(
func @f(%x: "tp: S(0)", %w: "tp: V", %tp axis "tp") {
b0:
  %3 = all_gather %x on %tp from S(0) to I
  %4 = reinterpret %3 on %tp from I to R
  %5 = op mul(%4, %w)
  ->
})ir"),
            Plan{"*shortcut all_gather(V,R)"});
  EXPECT_EQ(repairs(R"ir(
func @f(%x: "tp: R", %tp axis "tp") -> "tp: R" {
b0:
  %2 = convert %x on %tp from R to P
  %3 = all_reduce %2 on %tp from P to R
  return %3
  ->
})ir"),
            Plan{"*shortcut"});
}

TEST(PlanRepairs, Losses) {
  const auto Loss = [](llvm::StringRef Type) {
    return repairs(
        ("func @f(%x: \"dp: " + Type + "\") {\nb0:\n  backward %x\n  ->\n}")
            .str());
  };
  EXPECT_EQ(Loss("R"), Plan{"*wrap 0 convert(R,P)"});
  EXPECT_EQ(Loss("V"), Plan{"*wrap 0 reinterpret(V,P)"});
}

TEST(PlanRepairs, PathsAreTheCheapestOfTheTable) {
  EXPECT_EQ(findPath(LocalType::P, LocalType::R).size(), 1u);
  EXPECT_EQ(findPath(LocalType::I, LocalType::P).size(), 2u);
  // Reducing and scattering moves half of what reducing and slicing does.
  const auto Scatter = findPath(LocalType::P, LocalType::V);
  ASSERT_EQ(Scatter.size(), 1u);
  EXPECT_EQ(Scatter[0].Row->Op, OperatorKind::ReduceScatter);
}

TEST(PlanRepairs, CostsNameBytesAndBackward) {
  Repair R;
  R.Steps = findPath(LocalType::I, LocalType::R);
  EXPECT_EQ(costOf(R, "tp"), "no communication; backward: all_reduce");
  R.Steps = findPath(LocalType::P, LocalType::R);
  EXPECT_EQ(costOf(R, "tp"),
            "moves 2(N-1)/N of it over 'tp'; backward: all_reduce");
}

/// Repairs of one product in global code.
std::vector<std::string> ofProduct(llvm::StringRef X, llvm::StringRef W) {
  return repairs(("func @f(%x: \"" + X + "\", %w: \"" + W +
                  "\") global {\nb0:\n  %2 = op mm(%x, %w) @1:1\n  ->\n}")
                     .str());
}

TEST(PlanRepairs, ShardsThatAreAddedUp) {
  EXPECT_EQ(
      ofProduct("[B@dp, K@tp]", "[K@tp, N]{dp: R}"),
      (Plan{"*reduce all_reduce(P,R,tp)", "reduce all_reduce(P,I,tp)",
            "?reduce", "reduce all_reduce(P,R,tp) all_gather(S(0),R,dp)"}));
  // All axes of what is added up at once: one alone would leave the others.
  EXPECT_EQ(ofProduct("[B, K@(dp,tp)]", "[K@(dp,tp), N]")[0],
            "*reduce to [B, N]{dp: R, tp: R}");
}

TEST(PlanRepairs, OneOperandLacksShards) {
  // Cutting the other one, which moves nothing, would leave a sum to reduce.
  EXPECT_EQ(ofProduct("[B@dp, K]{tp: R}", "[K@tp, N]{dp: R}"),
            (Plan{"*wrap 1 all_gather(S(0),R,tp)",
                  "wrap 1 all_to_all(S(0),S(1),tp)"}));
  // How x varies on dp and tp is not said: nothing is wrong for sure.
  EXPECT_EQ(ofProduct("[B, K]", "[K@(dp,tp), N]"), Plan{"0 violations"});
}

TEST(PlanRepairs, OneAxisForTwoDims) {
  EXPECT_EQ(
      ofProduct("[B@tp, K]{dp: R}", "[K, N@tp]{dp: R}"),
      (Plan{"*wrap 0 all_gather(S(0),R,tp)", "wrap 1 all_gather(S(1),R,tp)"}));
}

TEST(PlanRepairs, TheAxisThatIsTakenOffBecomesTheLast) {
  EXPECT_EQ(
      repairs(R"(
func @f(%x: "[B@(dp,tp), H]", %dp axis "dp") global {
b0:
  %2 = all_gather %x on %dp from S(0) to R @1:1
  ->
})"),
      (Plan{"*redistribute 0 to [B@(tp,dp), H]", "wrap 0 all_gather(S(0),R,tp)",
            "wrap 0 all_gather(S(0),R,tp) all_gather(S(0),R,dp) "
            "convert(R,S(0),tp) convert(R,S(0),dp)"}));
}

} // namespace
