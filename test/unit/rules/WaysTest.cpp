//===- WaysTest.cpp - What holds on one way through a function ------------===//

#include "FactPlaces.h"

#include "spmd/inference/Ways.h"
#include "spmd/ir/IRText.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

using Findings = std::vector<std::string>;
const Findings None;

/// "4:1 'last' is false" for each finding, with the way; "4:1" on all ways.
Findings infer(llvm::StringRef Text, InferenceOptions Options = {}) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  cutIdleWays(*M);
  const std::string Cut = printModule(*M);
  const std::vector<const Fact *> Facts = factsOf(*M);
  InferenceResult Found = inferModule(*M, Options);
  std::vector<Violation> All = inferWays(*M, Options, Found);
  EXPECT_EQ(printModule(*M), Cut) << "branches are put back";
  EXPECT_EQ(factsOf(*M), Facts) << "and are the very same";
  All.insert(All.begin(), Found.Violations.begin(), Found.Violations.end());
  Findings Out;
  for (const Violation &V : All) {
    const Place P = V.In->Places[index(V.At)];
    Out.push_back(llvm::formatv("{0}:{1}", P.Line, P.Column).str());
    for (const WayStep &S : V.Way)
      Out.back() += " " + llvm::StringRef(S.Says).split("where ").second.str();
  }
  for (const GiveUp &G : Found.GivenUp)
    Out.push_back(describe(G.Which, Options.Caps));
  return Out;
}

/// A gradient that is reduced where \p Test holds, and then used as \p Uses say
/// from block 2 on.
Findings afterReduction(llvm::StringRef Test, llvm::StringRef Uses) {
  return infer(llvm::formatv(R"ir(
func @f(%w: "dp: R", %g: "dp: P", %dp axis "dp") {{
b0:
  -> b1 b2 if _ !1:1 when {0}
b1:
  all_reduce %g on %dp into %g @2:1
  -> b2
b2:
{1}
})ir",
                             Test, Uses)
                   .str());
}

constexpr const char *Use = "  op sub(%w, %g) into %w @4:1\n  ->";

TEST(Ways, WhatIsReducedOnOneWayIsPendingOnTheOther) {
  EXPECT_EQ(afterReduction("flag \"last\" != 0", Use),
            Findings{"4:1 'last' is false"});
  EXPECT_EQ(afterReduction("flag \"last\" == 0", Use),
            Findings{"4:1 'last' is true"});
  EXPECT_EQ(afterReduction("flag \"mode\" == 3", Use),
            Findings{"4:1 'mode' is not 3"});
  EXPECT_EQ(afterReduction("number \"stage\" > 4", Use),
            Findings{"4:1 'stage' is at most 4"});
  EXPECT_EQ(afterReduction("number \"stage\" < -1", Use),
            Findings{"4:1 'stage' is at least -1"});
}

TEST(Ways, OneRankOrNoElementNeedsNoReduction) {
  for (const char *Test : {"> 1", "> 0", "!= 1", "!= 0"})
    EXPECT_EQ(afterReduction(std::string("number \"n\" ") + Test, Use), None)
        << Test;
  // Where it is idle otherwise, nothing else happens there.
  EXPECT_EQ(afterReduction("number \"n\" > 1",
                           "  all_reduce %g on %dp into %g @4:1\n  ->"),
            Findings{"4:1"});
  EXPECT_EQ(afterReduction("flag \"n\" != 1",
                           "  all_reduce %g on %dp into %g @4:1\n  ->"),
            Findings{"4:1 'n' is not 1"});
}

TEST(Ways, OneNumberIsOneFact) {
  const auto Again = [](llvm::StringRef First, llvm::StringRef Second) {
    return afterReduction(First, (R"(  -> b3 b4 if _ !3:1 when )" + Second + R"(
b3:
  op sub(%w, %g) into %w @4:1
  -> b4
b4:
  ->)")
                                     .str());
  };
  EXPECT_EQ(Again("flag \"last\" != 0", "flag \"last\" != 0"), None);
  EXPECT_EQ(Again("flag \"last\" != 0", "flag \"last\" == 0"),
            Findings{"4:1 'last' is false"});
  EXPECT_EQ(Again("number \"stage\" == 2", "number \"stage\" == 2"), None);
  EXPECT_EQ(Again("number \"stage\" == 2", "number \"stage\" == 3"),
            Findings{"4:1 'stage' is not 2 'stage' is 3"});
  EXPECT_EQ(Again("number \"stage\" > 2", "number \"stage\" > 5"), None);
  EXPECT_EQ(Again("number \"stage\" > 5", "number \"stage\" > 2"),
            Findings{"4:1 'stage' is at most 5 'stage' is more than 2"});
  // Of two numbers nobody knows whether one follows from the other.
  EXPECT_EQ(Again("flag \"last\" != 0", "flag \"done\" != 0"), None);
}

TEST(Ways, ALoopIsEntered) {
  EXPECT_EQ(afterReduction("flag \"last\" != 0", R"(  -> b3 b4
b3:
  op sub(%w, %g) into %w @4:1
  -> b2
b4:
  ->)"),
            Findings{"4:1 'last' is false"});
}

TEST(Ways, WhatIsTestedWithinAnotherTestIsChosenWithIt) {
  EXPECT_EQ(infer(R"ir(
func @f(%w: "dp: R", %g: "dp: P", %dp axis "dp") {
b0:
  -> b1 b3 if _ !1:1 when flag "overlap" != 0
b1:
  -> b2 b3 if _ !1:9 when number "stage" == 2
b2:
  all_reduce %g on %dp into %g @2:1
  -> b3
b3:
  -> b4 b5 if _ !3:1 when flag "overlap" != 0
b4:
  op sub(%w, %g) into %w @4:1
  -> b5
b5:
  ->
})ir"),
            Findings{"4:1 'overlap' is true 'stage' is not 2"});
}

TEST(Ways, AWayOfACalleeIsOneOfItsCaller) {
  EXPECT_EQ(infer(R"ir(
func @reduce(%g, %dp axis "dp") {
b0:
  -> b1 b2 if _ !1:1 when flag "last" != 0
b1:
  all_reduce %g on %dp into %g @2:1
  -> b2
b2:
  ->
}
func @f(%w: "dp: R", %g: "dp: P", %dp axis "dp") {
b0:
  call @reduce(%g, %dp) @3:1
  op sub(%w, %g) into %w @4:1
  ->
})ir"),
            Findings{"4:1 'last' is false"});
}

TEST(Ways, AMemberIsOneOfTheNumbersThatAreNamed) {
  // What is not 1 is 0 in the other function.
  const auto Staged = [](llvm::StringRef OfStage0) {
    return infer(llvm::formatv(R"ir(
func @reduce(%g, %dp axis "dp") {{
b0:
  -> b1 b2 if _ !1:1 when flag "c->stage" == 0
b1:
  {0}
  -> b2
b2:
  ->
}
func @f(%w: "dp: R", %g: "dp: P", %dp axis "dp") {{
b0:
  call @reduce(%g, %dp)
  -> b1 b2 if _ !3:1 when flag "c->stage" == 1
b1:
  all_reduce %g on %dp into %g @3:1
  -> b2
b2:
  op sub(%w, %g) into %w @4:1
  ->
})ir",
                               OfStage0)
                     .str());
  };
  EXPECT_EQ(Staged("all_reduce %g on %dp into %g @2:1"), None);
  EXPECT_EQ(Staged("%5 = constant"), Findings{"4:1 'c->stage' is not 1"});
}

TEST(Ways, WhatACallerDecidesItselfItKnows) {
  const auto Call = [](llvm::StringRef Body) {
    return infer(llvm::formatv(R"ir(
func @reduce(%g, %last, %dp axis "dp") {{
b0:
  -> b1 b2 if _ !1:1 when flag "last" != 0
b1:
  all_reduce %g on %dp into %g @2:1
  -> b2
b2:
  ->
}
func @f(%w: "dp: R", %g: "dp: P", %last, %dp axis "dp") {{
b0:
{0}
  ->
})ir",
                               Body)
                     .str());
  };
  constexpr const char *Step = "  op sub(%w, %g) into %w @4:1\n";
  EXPECT_EQ(Call(std::string("  call @reduce(%g, %last, %dp) @3:1\n") + Step),
            Findings{"4:1 'last' is false"});
  EXPECT_EQ(Call(std::string("  %4 = constant\n"
                             "  call @reduce(%g, %4, %dp) @3:1\n") +
                 Step),
            None);
  EXPECT_EQ(Call(std::string("  -> b1 b2 if _ !5:1 when flag \"last\" != 0\n"
                             "b1:\n  call @reduce(%g, %last, %dp) @3:1\n") +
                 Step + "  -> b2\nb2:"),
            None);
}

TEST(Ways, WhatACallerSetsInABranchMayBeEither) {
  const auto Set = [](llvm::StringRef Setting) {
    return infer(llvm::formatv(R"ir(
func @reduce(%g, %c, %dp axis "dp") {{
  slot %c.last field %c last
b0:
  -> b1 b2 if _ !1:1 when flag "c->last" != 0
b1:
  all_reduce %g on %dp into %g @2:1
  -> b2
b2:
  ->
}
func @f(%w: "dp: R", %g: "dp: P", %dp axis "dp") {{
  slot %c local
  slot %c.last field %c last
b0:
{0}
  call @reduce(%g, %c, %dp) @3:1
  op sub(%w, %g) into %w @4:1
  ->
})ir",
                               Setting)
                     .str());
  };
  constexpr const char *Write = "  %9 = constant\n  %c.last = bind %9\n";
  EXPECT_EQ(Set(Write), None);
  EXPECT_EQ(Set(std::string("  -> b1 b2\nb1:\n") + Write + "  -> b2\nb2:"),
            Findings{"4:1 'c->last' is false"});
  // A loop that is gone round says so as surely.
  EXPECT_EQ(Set(std::string("  -> b1\nb1:\n  -> b2 b3\nb2:\n") + Write +
                "  -> b1\nb3:"),
            None);
}

TEST(Ways, AnIterationGoesItsOwnWay) {
  const auto Steps = [](llvm::StringRef Uses) {
    return infer(llvm::formatv(R"ir(
func @f(%w: "dp: R", %g, %x: "dp: P", %dp axis "dp") {{
b0:
  -> b1
b1:
  -> b2 b5 if _
b2:
  %4 = op clone(%x) into %g
  -> b3 b4 if _ !2:1 when iterations "k" == 0 of b1
b3:
  all_reduce %g on %dp into %g @2:1
  -> b4
b4:
{0}
  -> b1
b5:
  ->
})ir",
                               Uses)
                     .str());
  };
  EXPECT_EQ(Steps("  op sub(%w, %g) into %w @4:1"),
            Findings{"4:1 'k' is not 0"});
  EXPECT_EQ(Steps("  op neg(%g) @4:1"), None);
}

TEST(Ways, ElementsGoBothWays) {
  EXPECT_EQ(afterReduction("elements \"i\" == 0", Use),
            Findings{"4:1 'i' is not 0"});
  EXPECT_EQ(afterReduction("elements \"i\" != 1", Use),
            Findings{"4:1 'i' is 1"});
}

TEST(Ways, WhatIsNotDefinedNeedsNothing) {
  EXPECT_EQ(afterReduction("defined \"g\" == 0", Use),
            Findings{"4:1 'g' holds"});
  EXPECT_EQ(afterReduction("defined \"g\" != 0", Use), None);
}

TEST(Ways, TooManyAreSaid) {
  InferenceOptions Options;
  Options.Caps.Ways = 1;
  EXPECT_EQ(infer(R"ir(
func @f(%g: "dp: P", %dp axis "dp") {
b0:
  -> b1 b2 if _ !1:1 when flag "last" != 0
b1:
  all_reduce %g on %dp into %g @2:1
  -> b2
b2:
  ->
})ir",
                  Options),
            Findings{"its conditions choose between more than 1 ways"});
}

TEST(Ways, EveryOtherCapSaysSo) {
  const char *const Text = R"ir(
func @reduce(%g, %dp axis "dp") {
b0:
  -> b1 b5 if _ !1:1 when flag "last" != 0
b1:
  -> b2 b3 if _ !2:1 when flag "whole" != 0
b2:
  all_reduce %g on %dp into %g @3:1
  -> b3
b3:
  -> b4
b4:
  -> b5
b5:
  ->
}
func @one(%g: "dp: P", %dp axis "dp") {
b0:
  call @reduce(%g, %dp)
  ->
}
func @other(%g: "dp: P", %dp axis "dp") {
b0:
  call @reduce(%g, %dp)
  ->
})ir";
  InferenceOptions Options;
  Options.Caps.WayCallers = 1;
  EXPECT_EQ(infer(Text, Options),
            Findings{"more than 1 others call it, by themselves, on each of "
                     "its ways"});
  Options = {};
  Options.Caps.WayConditions = 1;
  EXPECT_EQ(infer(Text, Options),
            Findings{"more than 1 of its conditions choose a way together"});
  EXPECT_EQ(infer(Text), Findings());
}

TEST(Ways, TestsAreKeptInTheText) {
  const char *Text = "func @f() {\nb0:\n  -> b1 b1 when flag \"a == \\22b\" != "
                     "-7\nb1:\n  ->\n}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(bool(M)) << llvm::toString(M.takeError());
  EXPECT_EQ(printModule(*M), Text);
  for (const char *Wrong : {"flag last != 0", "\"last\" != 0",
                            "flag \"last\" >= 0", "number \"n\" == x"})
    EXPECT_TRUE(bool(parseModule((llvm::Twine("func @f() {\nb0:\n  -> when ") +
                                  Wrong + "\n}\n")
                                     .str(),
                                 OpCatalogue::builtin())
                         .takeError()))
        << Wrong;
}

TEST(Ways, OneRankOfAnotherAxisIsAWay) {
  const auto Asking = [](llvm::StringRef Of) {
    return infer(llvm::formatv(R"ir(
func @f(%w: "dp: R", %g: "dp: P", %dp axis "dp", %tp axis "tp") {{
b0:
  %4 = size_of %{0} @1:1
  -> b1 b2 if %4 !1:1 when number "ranks" > 1
b1:
  all_reduce %g on %dp into %g @2:1
  -> b2
b2:
  op sub(%w, %g) into %w @4:1
  ->
})ir",
                               Of)
                     .str());
  };
  EXPECT_EQ(Asking("tp"), Findings{"4:1 'ranks' is at most 1"});
  EXPECT_EQ(Asking("dp"), None);
}

TEST(Ways, GivenFlagsDoNotFollowFromEachOther) {
  const auto With = [](llvm::StringRef Second) {
    return infer(llvm::formatv(R"ir(
func @f(%w: "dp: R", %g: "dp: P", %dp axis "dp", %sync, %dry) {{
b0:
  -> b1 b2 if _ !1:1 when flag %sync "sync" != 0
b1:
  all_reduce %g on %dp into %g @2:1
  -> b2
b2:
  -> b4 b3 if _ !3:1 when flag {0}
b3:
  op sub(%w, %g) into %w @4:1
  -> b4
b4:
  ->
})ir",
                               Second)
                     .str());
  };
  EXPECT_EQ(With("%dry \"dry\" != 0"),
            Findings{"4:1 'sync' is false 'dry' is false"});
  EXPECT_EQ(With("\"c->dry\" != 0"), None);
}

} // namespace
