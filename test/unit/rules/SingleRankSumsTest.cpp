//===- SingleRankSumsTest.cpp - What one rank adds to a sum ---------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

const std::string Rank = "%100", Root = "%102", Other = "%103", Some = "%104";

using Findings = std::vector<std::string>;
const Findings None;

/// "5:1 add dp P" per finding: where, in which op, what the first operand is.
Findings infer(const std::string &Text) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  Findings Out;
  for (const Violation &V : inferModule(*M, {}).Violations) {
    const Place P = V.In->Places[index(V.At)];
    Out.push_back(std::to_string(P.Line) + ":" + std::to_string(P.Column) +
                  " " + V.Op + " " + V.Axis + " " +
                  printAxisType(V.Operands[0].Type));
  }
  return Out;
}

/// A function with the blocks \p Body. Root is true on the rank 0 of dp alone,
/// Other false on it, and Some is neither; %y is %p at first.
Findings body(const std::string &Body) {
  return infer(
      R"IR(rule equal(self, other?) = "selector(self, other)" roles compares_equal
rule unequal(self, other?) = "selector(self, other)" roles compares_unequal
rule not(self) = "selector(self)" roles inverts
rule copy(self) = "linear(self)" roles copies
rule compare(self, other?) = "selector(self, other)"
rule own.add(self, other) = "nonlinear(self, other)" named add
rule plus(self, other) = "linear(self, other)" roles adds
rule own.equal(self, other) = "selector(self, other)" named equal
rule own.copy(self) = "linear(self)" named copy
func @f(%r: "dp: R, tp: R", %i: "dp: I, tp: R", %p: "dp: P, tp: R",
        %q: "dp: P, tp: P", %w: "dp: P, tp: R", %v: "dp: V, tp: R", %u, %dp axis "dp",
        %tp axis "tp") {
  slot %y local
  slot %z local
b0:
  %100 = rank_of %dp
  %101 = constant
  %102 = op equal(%100 scalar, %101 scalar)
  %103 = op unequal(%100 scalar, %101 scalar)
  %104 = op compare(%100 scalar, %101 scalar)
  %105 = constant
  %y = bind %p
)IR" + Body +
      "}\n");
}

/// What is said of `if (%If) { Then } else { Else } reduce(y)`.
Findings branch(const std::string &If, const std::string &Then,
                const std::string &Else = "") {
  return body("  -> b1 b2 if " + If + " !2:7\nb1:\n" + Then + "  -> b3\nb2:\n" +
              Else +
              "  -> b3\nb3:\n"
              "  %107 = all_reduce %y on %dp from P to R @9:3\n"
              "  require assert_type %107 \"dp: R, tp: R\" @10:3\n  ->\n");
}

const char *const Adds = "  %13 = op add(self=%y, other=%r) @3:3\n"
                         "  %y = bind %13\n";
const char *const AddsInPlace =
    "  %13 = op add(self=%y, other=%r) into %y @3:3\n";

TEST(SingleRankSums, OneRankAddsToTheSum) {
  EXPECT_EQ(branch(Root, Adds), None);
  EXPECT_EQ(branch(Root, AddsInPlace), None);
  EXPECT_EQ(branch(Other, "", Adds), None);
  EXPECT_EQ(branch(Rank, "", Adds), None);
}

TEST(SingleRankSums, TheOtherRanksDoNot) {
  const Findings Each{"3:3 add dp P"};
  EXPECT_EQ(branch(Other, Adds), Each);
  EXPECT_EQ(branch(Root, "", Adds), Each);
  EXPECT_EQ(branch(Some, Adds), Each);
  EXPECT_EQ(branch("%u", Adds), Each);
  EXPECT_EQ(body("  -> b1 b2 if %102\nb1:\n  -> b2\nb2:\n" + std::string(Adds) +
                 "  ->\n"),
            Each);
}

TEST(SingleRankSums, NotMeansTheOther) {
  EXPECT_EQ(body("  %106 = op not(%102)\n  -> b1 b2 if %106\nb1:\n  -> b3\n"
                 "b2:\n" +
                 std::string(Adds) +
                 "  -> b3\nb3:\n  %14 = all_reduce %y on %dp from P to R @9:3\n"
                 "  ->\n"),
            None);
  EXPECT_EQ(body("  %106 = op not(%100 scalar)\n  -> b1 b2 if %106\nb1:\n" +
                 std::string(Adds) +
                 "  -> b2\nb2:\n  %14 = all_reduce %y on %dp from P to R @9:3\n"
                 "  ->\n"),
            None);
}

TEST(SingleRankSums, EachSpellingOfTheSum) {
  const auto Op = [](const std::string &Of) {
    return branch(Root, "  %13 = op " + Of + " @3:3\n  %y = bind %13\n");
  };
  EXPECT_EQ(Op("add(self=%r, other=%y)"), None);
  EXPECT_EQ(Op("add(self=%y, other=%r, alpha=%105)"), None);
  EXPECT_EQ(Op("sub(self=%y, other=%r)"), None);
  EXPECT_EQ(Op("add(self=%y, other=%105)"), None);
  EXPECT_EQ(Op("add(self=%y, other=%u)"), None);
  // The sum times something, and a term that the other ranks do not have.
  EXPECT_EQ(Op("sub(self=%r, other=%y)"), (Findings{"3:3 sub dp R"}));
  EXPECT_EQ(Op("add(self=%r, other=%y, alpha=%105)"),
            (Findings{"3:3 add dp R"}));
  EXPECT_EQ(Op("add(self=%y, other=%p)"), Findings{"9:3 all_reduce dp V"});
  EXPECT_EQ(Op("neg(self=%y)"), Findings{"9:3 all_reduce dp V"});
}

TEST(SingleRankSums, ANameSaysNothing) {
  const auto Op = [](const std::string &Of) {
    return branch(Root, "  %13 = op " + Of + " @3:3\n  %y = bind %13\n");
  };
  EXPECT_EQ(Op("own.add(self=%y, other=%r)"), Findings{"3:3 add dp P"});
  EXPECT_EQ(Op("plus(self=%y, other=%r)"), None);
  const auto Equal = [](const std::string &Rule) {
    return body("  %106 = op " + Rule + "(self=%100 scalar, other=%101)\n" +
                "  -> b1 b2 if %106\nb1:\n" + Adds +
                "  -> b2\nb2:\n  %14 = all_reduce %y on %dp from P to R\n"
                "  ->\n");
  };
  EXPECT_EQ(Equal("equal"), None);
  EXPECT_EQ(Equal("own.equal"), Findings{"3:3 add dp P"});
}

TEST(SingleRankSums, AnInvariantValueHasItsGradientOnAllRanks) {
  EXPECT_EQ(branch(Root, "  %13 = op add(self=%y, other=%i) @3:3\n"
                         "  %y = bind %13\n"),
            Findings{"3:3 add dp P"});
}

TEST(SingleRankSums, OnOtherAxesItIsAddedOnEachRank) {
  EXPECT_EQ(body("  -> b1 b2 if %102\nb1:\n"
                 "  %13 = op add(self=%q, other=%r) @3:3\n  -> b2\nb2:\n"
                 "  ->\n"),
            Findings{"3:3 add tp P"});
  EXPECT_EQ(body(R"IR(  %108 = rank_of %tp
  %109 = op equal(%108 scalar, %101 scalar)
  %y = bind %q
  -> b1 b3 if %102
b1:
  -> b2 b3 if %109
b2:
  %13 = op add(self=%y, other=%r) @3:3
  %y = bind %13
  -> b3
b3:
  %14 = all_reduce %y on %dp from P to R @8:3
  %15 = all_reduce %14 on %tp from P to R @9:3
  ->
)IR"),
            None);
}

TEST(SingleRankSums, OnlyTheSumThatTheOtherRanksHave) {
  // Of another one, or of what became of it on either way.
  EXPECT_EQ(branch(Root, "  %13 = op add(self=%w, other=%r)\n"
                         "  %y = bind %13\n"),
            Findings{"9:3 all_reduce dp V"});
  EXPECT_EQ(branch(Root,
                   "  %12 = op neg(self=%y)\n"
                   "  %13 = op add(self=%12, other=%r)\n  %y = bind %13\n"),
            Findings{"9:3 all_reduce dp V"});
  EXPECT_EQ(branch(Root, "  %12 = op mul(self=%y, other=%105) into %y\n" +
                             std::string(Adds)),
            Findings{"9:3 all_reduce dp V"});
  EXPECT_EQ(branch(Root, std::string(Adds) +
                             "  %14 = op mul(self=%y, other=%105) into %y\n"),
            Findings{"9:3 all_reduce dp V"});
  EXPECT_EQ(branch(Root, Adds, "  %12 = op mul(self=%y, other=%105) into %y\n"),
            Findings{"9:3 all_reduce dp V"});
  EXPECT_EQ(branch(Root, AddsInPlace,
                   "  %12 = op mul(self=%y, other=%105) into %y\n"),
            Findings{"9:3 all_reduce dp V"});
}

TEST(SingleRankSums, SeveralTimesOrNotAtAll) {
  EXPECT_EQ(branch(Root, Adds + std::string("  %15 = op add(self=%y, "
                                            "other=%r)\n  %y = bind %15\n")),
            None);
  for (const std::string Add : {Adds, AddsInPlace}) {
    EXPECT_EQ(body("  -> b1 b3 if %102\nb1:\n  -> b2 b3 if %u\nb2:\n" + Add +
                   "  -> b3\nb3:\n"
                   "  %14 = all_reduce %y on %dp from P to R @9:3\n  ->\n"),
              None);
    EXPECT_EQ(body("  -> b1 b5 if %102\nb1:\n  -> b2 b3 if %u\nb2:\n" + Add +
                   "  -> b4\nb3:\n  -> b4\nb4:\n  %15 = op neg(self=%r)\n"
                   "  -> b5\nb5:\n"
                   "  %14 = all_reduce %y on %dp from P to R @9:3\n  ->\n"),
              None);
    // A loop of the one rank; one of all ranks; one that each leaves in turn.
    EXPECT_EQ(body("  -> b1 b4 if %102\nb1:\n  -> b2\nb2:\n  -> b3 b4 if %u\n"
                   "b3:\n" +
                   Add +
                   "  -> b2\nb4:\n"
                   "  %14 = all_reduce %y on %dp from P to R @9:3\n  ->\n"),
              None);
    EXPECT_EQ(body("  -> b1\nb1:\n  -> b2 b5 if %u\nb2:\n  -> b3 b4 if %102\n"
                   "b3:\n" +
                   Add +
                   "  -> b4\nb4:\n  -> b1\nb5:\n"
                   "  %14 = all_reduce %y on %dp from P to R @9:3\n  ->\n"),
              None);
    EXPECT_EQ(body("  -> b1\nb1:\n  -> b2 b5 if %u\nb2:\n  -> b3 b4 if %102\n"
                   "b3:\n" +
                   Add +
                   "  -> b5\nb4:\n  -> b1\nb5:\n"
                   "  %14 = all_reduce %y on %dp from P to R @9:3\n  ->\n"),
              (Findings{"3:3 add dp P"}));
  }
}

TEST(SingleRankSums, ElementsOfABuffer) {
  const auto Element = [](const std::string &Write) {
    return branch(Root, "  %20 = element %y at %u\n"
                        "  %21 = element %w at %u\n"
                        "  %13 = op copy(self=%20 scalar)\n"
                        "  %14 = op add(self=%13 scalar, other=%r scalar)\n" +
                            Write);
  };
  EXPECT_EQ(Element("  %15 = op copy(self=%14 scalar) into %20\n"), None);
  EXPECT_EQ(Element("  %15 = op copy(self=%13 scalar) into %20\n"), None);
  EXPECT_EQ(Element("  %22 = element %y at %u\n"
                    "  %15 = op copy(self=%14 scalar) into %22\n"),
            None);
  EXPECT_EQ(Element("  %22 = element %y at %105\n"
                    "  %15 = op copy(self=%14 scalar) into %22\n"),
            Findings{"9:3 all_reduce dp V"});
  EXPECT_EQ(Element("  %15 = op neg(self=%14 scalar) into %20\n"),
            Findings{"9:3 all_reduce dp V"});
  EXPECT_EQ(Element("  %16 = op copy(self=%21 scalar)\n"
                    "  %15 = op copy(self=%16 scalar) into %20\n"),
            Findings{"9:3 all_reduce dp V"});
}

TEST(SingleRankSums, WhatAnEarlierRoundLeftIsAnotherSum) {
  EXPECT_EQ(body(R"IR(  %110 = op neg(self=%p)
  %z = bind %110
  -> b1
b1:
  -> b2 b6 if %u
b2:
  -> b3 b4 if %102
b3:
  %13 = op add(self=%110, other=%r)
  %z = bind %13
  -> b5
b4:
  -> b5
b5:
  %15 = all_reduce %z on %dp from P to R @9:3
  %14 = op mul(self=%110, other=%105) into %110
  -> b1
b6:
  ->
)IR"),
            Findings{"9:3 all_reduce dp V"});
}

TEST(SingleRankSums, WhoReturnsEarlyAddsNothing) {
  EXPECT_EQ(
      infer(
          R"IR(rule unequal(self, other?) = "selector(self, other)" roles compares_unequal
func @f(%p: "dp: P", %r: "dp: R", %dp axis "dp") -> "dp: P" {
b0:
  %10 = rank_of %dp
  %11 = constant
  %12 = op unequal(%10 scalar, %11 scalar)
  -> b1 b2 if %12
b1:
  return %p
  ->
b2:
  %13 = op add(self=%p, other=%r)
  return %13
  ->
}
func @g(%p: "dp: P", %r: "dp: R", %dp axis "dp") -> "dp: R" {
b0:
  %10 = call @f(%p, %r, %dp)
  %11 = all_reduce %10 on %dp from P to R
  return %11
  ->
}
)IR"),
      None);
}

} // namespace
