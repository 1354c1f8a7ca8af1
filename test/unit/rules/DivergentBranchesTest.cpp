//===- DivergentBranchesTest.cpp - Branches that ranks take differently ---===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// "5:1 dp V" per finding: where, the axis, what the first operand is.
std::vector<std::string> infer(const std::string &Text, bool Strict = false) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  InferenceOptions Options;
  Options.Strict = Strict;
  std::vector<std::string> Out;
  for (const Violation &V : inferModule(*M, Options).Violations) {
    const Place P = V.In->Places[index(V.At)];
    Out.push_back(std::to_string(P.Line) + ":" + std::to_string(P.Column) +
                  " " + V.Axis + " " + printAxisType(V.Operands[0].Type));
  }
  return Out;
}

/// A function with the blocks \p Body, whose result is to be \p Result.
std::vector<std::string> body(const std::string &Body,
                              const std::string &Result = "dp: R, tp: R",
                              bool Strict = false) {
  return infer("rule equal(self, other?) = \"selector(self, other)\" "
               "roles compares_equal\n"
               "rule not(self) = \"selector(self)\" roles inverts\n"
               "rule math(self, other?) = \"nonlinear(self, other)\"\n"
               "func @f(%r: \"dp: R, tp: R\", %i: \"dp: I, tp: I\", "
               "%p: \"dp: P, tp: R\", %v: \"dp: V, tp: R\", %u, "
               "%dp axis \"dp\", %all axis \"(dp,tp)\") -> \"" +
                   Result + "\" {\n  slot %y local\n" + Body + "}\n",
               Strict);
}

/// y is what \p Then makes of it on the rank 0 of dp, else what \p Else does.
std::vector<std::string> branch(const std::string &Before,
                                const std::string &Then,
                                const std::string &Else,
                                const std::string &Result = "dp: R, tp: R") {
  return body("b0:\n  %10 = rank_of %dp\n  %11 = constant\n"
              "  %12 = op equal(%10, %11)\n  %30 = constant\n" +
                  Before + "\n  -> b1 b2 if %12 !2:7\nb1:\n" + Then +
                  "  -> b3\nb2:\n" + Else +
                  "  -> b3\nb3:\n  return %y @9:3\n  ->\n",
              Result);
}

using Findings = std::vector<std::string>;
const Findings None;

TEST(DivergentBranches, WhatOneRankChangesVaries) {
  EXPECT_EQ(branch("%y = bind %r", "%13 = op neg(%y)\n%y = bind %13\n", ""),
            Findings{"9:3 dp V"});
  EXPECT_EQ(branch("%y = bind %r", "%13 = op neg(%y)\n%y = bind %13\n", "",
                   "dp: V, tp: R"),
            None);
  EXPECT_EQ(branch("", "%y = bind %r\n", "%13 = op neg(%r)\n%y = bind %13\n"),
            Findings{"9:3 dp V"});
}

TEST(DivergentBranches, WhatOneRankWritesVaries) {
  EXPECT_EQ(branch("%20 = op neg(%r)\n%y = bind %20",
                   "%13 = op add(%y, %r) into %y\n", ""),
            Findings{"9:3 dp V"});
}

TEST(DivergentBranches, WhatNoWayChangesStaysWhatItIs) {
  EXPECT_EQ(branch("%y = bind %r", "%13 = op neg(%y)\n", ""), None);
  EXPECT_EQ(branch("", "%y = bind %r\n", "%y = bind %r\n"), None);
}

TEST(DivergentBranches, WhatIsNotKnownOfOneWayIsNotKnown) {
  EXPECT_EQ(branch("%y = bind %r", "%y = bind %u\n", ""), None);
}

TEST(DivergentBranches, WhatOnlySomeRanksHaveIsTheirOwn) {
  EXPECT_EQ(branch("", "%y = bind %r\n", ""), Findings{"9:3 dp V"});
  EXPECT_EQ(branch("", "%y = bind %u\n", ""), Findings{"9:3 dp V"});
}

TEST(DivergentBranches, OnOtherAxesABranchIsLikeAnyOther) {
  EXPECT_EQ(branch("%y = bind %r", "%13 = op neg(%y)\n%y = bind %13\n", "",
                   "dp: V, tp: V"),
            Findings{"9:3 tp R"});
}

TEST(DivergentBranches, ABroadcastMakesItTheSameAgain) {
  EXPECT_EQ(body(R"(b0:
  %10 = rank_of %dp
  %y = bind %r
  -> b1 b2 if %10
b1:
  %13 = op neg(%r)
  %y = bind %13
  -> b2
b2:
  %14 = broadcast %y on %dp into %y
  return %y @9:3
  ->
)"),
            None);
}

TEST(DivergentBranches, GradientsOfAnInvariantValueDiffer) {
  const std::string Use = "%y = bind %i";
  EXPECT_EQ(
      branch(Use, "%13 = op neg(%y)\n%y = bind %13\n", "", "dp: V, tp: I"),
      None);
  EXPECT_EQ(body(R"(b0:
  %10 = rank_of %dp
  %y = bind %i
  -> b1 b2 if %10
b1:
  %13 = op neg(%i)
  %y = bind %13
  -> b2
b2:
  %14 = op neg(%y) @8:3
  %15 = op eq(%y) @9:3
  ->
)"),
            Findings{"8:3 dp V"});
}

TEST(DivergentBranches, TermsOfTwoSumsMakeNone) {
  EXPECT_EQ(body(R"(b0:
  %10 = rank_of %dp
  %y = bind %p
  -> b1 b2 if %10
b1:
  %13 = op neg(%p)
  %y = bind %13
  -> b2
b2:
  %14 = all_reduce %y on %dp from P to R @8:3
  ->
)"),
            Findings{"8:3 dp V"});
}

TEST(DivergentBranches, ABoolKeepsWhatItWasMadeOf) {
  EXPECT_EQ(branch("", "%y = bind %11\n", "%y = bind %30\n"),
            Findings{"9:3 dp V"});
}

TEST(DivergentBranches, WhoReturnsEarlyReturnsSomethingElse) {
  EXPECT_EQ(infer(R"(func @f(%r: "dp: R", %dp axis "dp") {
b0:
  %10 = rank_of %dp
  -> b1 b2 if %10
b1:
  %11 = op neg(%r)
  return %11
  ->
b2:
  return %r
  ->
}
func @g(%r: "dp: R", %dp axis "dp") -> "dp: R" {
b0:
  %11 = call @f(%r, %dp)
  return %11 @9:3
  ->
}
)"),
            Findings{"9:3 dp V"});
}

TEST(DivergentBranches, ABufferOfTheCallerIsWrittenBySome) {
  EXPECT_EQ(infer(R"(func @f(%r: "dp: R -> dp: R" !4:5, %dp axis "dp") {
b0:
  %10 = rank_of %dp
  -> b1 b2 if %10
b1:
  %11 = op neg(%r) into %r
  -> b2
b2:
  return @9:3
  ->
}
)"),
            Findings{"9:3 dp V"});
}

TEST(DivergentBranches, RoundsThatOnlySomeMakeLeaveADifference) {
  EXPECT_EQ(body(R"(b0:
  %10 = rank_of %dp
  %y = bind %r
  -> b1
b1:
  -> b2 b3 if %10
b2:
  %13 = op add(%y, %r)
  require variable %13 "dp: R" @5:3
  %y = bind %13
  -> b1
b3:
  return %y @9:3
  ->
)"),
            Findings{"9:3 dp V"});
}

TEST(DivergentBranches, WhoeverLeavesALoopHasWhatItMade) {
  EXPECT_EQ(body(R"(b0:
  %10 = rank_of %dp
  %y = bind %r
  -> b1
b1:
  -> b2 b4 if %u
b2:
  -> b4 b3 if %10
b3:
  %13 = op add(%y, %r)
  %y = bind %13
  -> b1
b4:
  return %y @9:3
  ->
)"),
            Findings{"9:3 dp V"});
}

TEST(DivergentBranches, WhatEachRoundLeavesAloneIsTheSameBehindTheLoop) {
  EXPECT_EQ(body(R"(b0:
  %10 = rank_of %dp
  %y = bind %r
  -> b1
b1:
  -> b2 b3 if %10
b2:
  %y = bind %r
  -> b1
b3:
  return %y @9:3
  ->
)"),
            None);
}

TEST(DivergentBranches, StrictDoubtsIncludeTermsOfTwoSums) {
  const auto With = [](bool Strict) {
    return body(R"(b0:
  %10 = rank_of %dp
  %y = bind %v
  -> b1
b1:
  -> b2 b3 if %10
b2:
  %y = bind %p
  -> b1
b3:
  %14 = op neg(%y) @8:3
  %15 = op eq(%14) @9:3
  ->
)",
                "dp: R, tp: R", Strict);
  };
  EXPECT_EQ(With(false), None);
  EXPECT_EQ(With(true), Findings{"8:3 dp V"});
}

TEST(DivergentBranches, StrictDoubtsNothingOfAConditionThatNobodyTyped) {
  EXPECT_EQ(body(R"(b0:
  %10 = constant
  %11 = op equal(%u scalar, %10 scalar)
  %y = bind %r
  -> b1 b2 if %11
b1:
  %13 = op neg(%y)
  %y = bind %13
  -> b2
b2:
  return %y @9:3
  ->
)",
                 "dp: R, tp: R", /*Strict=*/true),
            None);
}

TEST(DivergentBranches, WritingWhatIsInvariantIsFoundAtTheNextUse) {
  EXPECT_EQ(infer(R"(func @f(%p0: "dp: I", %dp axis "dp") {
  slot %v local
b0:
  %3 = rank_of %dp
  %v = bind %p0
  -> b3 b2 if %3 !7:7
b1:
  -> b4
b2:
  -> b1
b3:
  %17 = op add(%v, %p0) into %v
  -> b1
b4:
  %62 = op neg(%v) @8:3
  return %62
  ->
}
)",
                  true),
            (Findings{"8:3 dp V", "7:7 dp V"}));
}

TEST(DivergentBranches, AConditionThatIsTheSameSaysNothing) {
  EXPECT_EQ(body(R"(b0:
  %y = bind %r
  -> b1 b2 if %11
b1:
  %13 = op neg(%y)
  %y = bind %13
  -> b2
b2:
  return %y @9:3
  ->
)"),
            None);
}

TEST(DivergentBranches, TheRankOverTwoAxesVariesOnBothUntilItIsDivided) {
  const auto With = [](const std::string &Condition) {
    return body("b0:\n  %10 = rank_of %all\n  %11 = constant\n" + Condition +
                R"(  %y = bind %r
  -> b1 b2 if %12
b1:
  %13 = op neg(%y)
  %y = bind %13
  -> b2
b2:
  return %y @9:3
  ->
)");
  };
  EXPECT_EQ(With("%12 = op equal(%10, %11)\n"),
            (Findings{"9:3 dp V", "9:3 tp V"}));
  EXPECT_EQ(With("%13 = op math(%10, %11)\n%12 = op equal(%13, %11)\n"), None);
}

/// What all draw from an engine behind a branch that some take alone.
static std::vector<std::string> draw(const std::string &Then,
                                     const std::string &Else) {
  return infer("rule equal(self, other?) = \"selector(self, other)\" "
               "roles compares_equal\n"
               "rule seed(self, other?) = \"linear(self, other)\" roles draws\n"
               "func @f(%dp axis \"dp\") -> \"dp: R\" {\n"
               "b0:\n  %1 = rank_of %dp\n  %2 = constant\n"
               "  %3 = op equal(%1, %2)\n  %4 = op seed(%2)\n"
               "  -> b1 b2 if %3 !2:7\nb1:\n" +
               Then + "  -> b3\nb2:\n" + Else +
               "  -> b3\nb3:\n  %5 = op draw(%4)\n"
               "  return %5 @9:3\n  ->\n}\n");
}

TEST(DivergentBranches, AnEngineIsBehindWhatItsRankHasDrawn) {
  const std::string Draws = "  %10 = op seed(%4) into %4\n";
  EXPECT_EQ(draw(Draws, ""), Findings{"9:3 dp V"});
  EXPECT_EQ(draw("", Draws), Findings{"9:3 dp V"});
  EXPECT_EQ(draw("", ""), None);
  // They may have drawn as often.
  EXPECT_EQ(draw(Draws, "  %11 = op seed(%2, %4) into %4\n"), None);
}

} // namespace
