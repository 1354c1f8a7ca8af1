//===- SumTermsTest.cpp - What is added to the terms of a sum -------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

constexpr const char *Names[] = {
    "invariant-mix", "partial-nonlinear", "partial-add", "partial-product",
    "src-type",      "transition",        "contract",    "loss-type"};

/// "6 partial-add [R V]" per violation: the line of \p Body, from 1 on.
std::vector<std::string> findings(const std::string &Parameters,
                                  const std::string &Body,
                                  const std::string &End = "  return %r\n") {
  // Names in the body that are no parameters are locals.
  std::string Locals;
  for (const char Name : std::string("acijklnorstvyz"))
    if (const std::string Is = std::string("%") + Name;
        (Parameters + ",").find(Is + ":") == std::string::npos &&
        (Parameters + ",").find(Is + ",") == std::string::npos)
      Locals += "  slot " + Is + " local\n";
  llvm::Expected<Module> M =
      parseModule("func @f(" + Parameters + ", %tp axis \"tp\") {\n" + Locals +
                      "b0:\n" + Body + End + "  ->\n}\n",
                  OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  std::vector<std::string> Out;
  for (const Violation &V : inferModule(*M, {}).Violations) {
    std::string Line = std::to_string(V.In->Places[index(V.At)].Line) + " " +
                       Names[static_cast<int>(V.kind())] + " [";
    for (const ViolationOperand &O : V.Operands)
      Line += (&O == V.Operands.data() ? "" : " ") + printAxisType(O.Type);
    Out.push_back(Line + "]");
  }
  return Out;
}

using Findings = std::vector<std::string>;
const Findings None;

//===--- out_partial ------------------------------------------------------===//

/// What out_partial around \p Op says.
Findings wrapped(const std::string &Parameters, const std::string &Op) {
  return findings(Parameters, "  %o = op " + Op +
                                  " @1:1\n  %r = out_partial %o on %tp @2:1\n");
}

TEST(SumTerms, TheFactorsOfAProductAreJudgedAsTheyAre) {
  EXPECT_EQ(wrapped("%x: \"tp: I\", %w: \"tp: V\"", "linear(%x, %w)"),
            Findings{"1 invariant-mix [I V]"});
  EXPECT_EQ(wrapped("%x: \"tp: P\", %w: \"tp: V\"", "linear(%x, %w)"),
            Findings{"1 partial-product [P V]"});
  EXPECT_EQ(wrapped("%x: \"tp: V\", %w: \"tp: V\"", "linear(%x, %w)"), None);
  EXPECT_EQ(wrapped("%x: \"tp: R\", %w: \"tp: V\"", "linear(%x, %w)"), None);
}

TEST(SumTerms, WhatIsAddedOnAllRanksIsReported) {
  EXPECT_EQ(wrapped("%y: \"tp: V\", %b: \"tp: R\"", "add(%y, %b)"),
            Findings{"1 partial-add [R V]"});
  EXPECT_EQ(wrapped("%y: \"tp: V\", %b: \"tp: I\"", "add(%y, %b)"),
            Findings{"1 partial-add [I V]"});
  EXPECT_EQ(wrapped("%b: \"tp: R\", %y: \"tp: V\"", "sub(%b, %y)"),
            Findings{"1 partial-add [R V]"});
  EXPECT_EQ(wrapped("%x: \"tp: V\", %w: \"tp: V\", %b: \"tp: R\"",
                    "linear(%x, %w, %b)"),
            Findings{"1 partial-add [R P]"});
  EXPECT_EQ(wrapped("%b: \"tp: I\", %x: \"tp: V\", %w: \"tp: V\"",
                    "addmm(%b, %x, %w)"),
            Findings{"1 partial-add [I P]"});
}

TEST(SumTerms, WhatIsAddedToAPendingSumStaysIllegal) {
  EXPECT_EQ(findings("%p: \"tp: P\"", "  %c = constant @1:1\n"
                                      "  %o = op add(%p, %c scalar) @2:1\n"
                                      "  %r = out_partial %o on %tp @3:1\n"),
            Findings{"2 partial-add [P R|I]"});
  EXPECT_EQ(wrapped("%p: \"tp: P\", %b: \"tp: R\"", "add(%p, %b)"),
            Findings{"1 partial-add [P R]"});
  EXPECT_EQ(wrapped("%p: \"tp: P\", %v: \"tp: V\"", "add(%p, %v)"),
            Findings{"1 partial-add [P V]"});
}

TEST(SumTerms, APendingBiasMayBeAddedToAProductOfShards) {
  const std::string Factors = ", %x: \"tp: V\", %w: \"tp: V\"";
  EXPECT_EQ(wrapped("%b: \"tp: P\"" + Factors, "addmm(%b, %x, %w)"), None);
  EXPECT_EQ(wrapped("%b: \"tp: V\"" + Factors, "addmm(%b, %x, %w)"), None);
}

//===--- Collectives that sum ---------------------------------------------===//

const std::string Terms = "%x: \"tp: V\", %w: \"tp: V\"";

Findings summed(const std::string &Bias, const std::string &Body) {
  return findings(Terms + ", %b: \"tp: " + Bias + "\"",
                  "  %y = op matmul(%x, %w) @1:1\n" + Body);
}

TEST(SumTerms, ABiasInFrontOfACollectiveThatSumsIsReported) {
  for (const std::string Reduce :
       {"  %r = all_reduce %z on %tp from P to R @5:1\n",
        "  %r = all_reduce %z on %tp from V to R @5:1\n",
        "  %r = reduce_scatter %z on %tp from P to S(0) @5:1\n",
        "  %r = all_reduce %z on %tp @5:1\n"})
    for (const std::string Bias : {"R", "I"}) {
      EXPECT_EQ(summed(Bias, "  %z = op add(%y, %b) @2:1\n" + Reduce),
                Findings{"2 partial-add [" + Bias + " V]"})
          << Reduce;
      EXPECT_EQ(summed(Bias, "  %a = op add(%y, %b) @2:1\n"
                             "  %v = op neg(%a) @3:1\n"
                             "  %z = op view(%v) @4:1\n" +
                                 Reduce),
                Findings{"2 partial-add [" + Bias + " V]"})
          << Reduce;
    }
}

TEST(SumTerms, WhatVariesIsATermOfItsOwn) {
  EXPECT_EQ(summed("V", "  %z = op add(%y, %b)\n"
                        "  %r = all_reduce %z on %tp @5:1\n"),
            None);
}

/// Twice the sum \p Between which something is done to %a, the first one.
Findings summedAgain(const std::string &Between) {
  return findings(Terms, "  %y = op matmul(%x, %w) @1:1\n"
                         "  %a = all_reduce %y on %tp @2:1\n"
                         "  %n = constant @3:1\n" +
                             Between +
                             "  %v = op matmul(%x, %w) @5:1\n"
                             "  %z = op add(%a, %v) @6:1\n"
                             "  %s = all_reduce %z on %tp @7:1\n"
                             "  %r = op div(%s, %n scalar) @8:1\n");
}

TEST(SumTerms, ASumInASumIsNoAverageOfBoth) {
  EXPECT_EQ(summedAgain(""), Findings{"6 partial-add [R|I V]"});
  EXPECT_EQ(summedAgain("  %a = op div(%a, %n scalar) @4:1\n"), None);
}

TEST(SumTerms, AnAverageHasItOnce) {
  EXPECT_EQ(summed("R", "  %z = op add(%y, %b)\n"
                        "  %r = all_reduce %z on %tp with average @5:1\n"),
            None);
  EXPECT_EQ(summed("R", "  %z = op add(%y, %b)\n"
                        "  %s = all_reduce %z on %tp @5:1\n"
                        "  %n = constant @6:1\n"
                        "  %r = op div(%s, %n scalar) @7:1\n"),
            None);
  EXPECT_EQ(summed("R", "  %a = op add(%y, %b)\n"
                        "  %n = constant @6:1\n"
                        "  %z = op mul(%a, %n scalar) @7:1\n"
                        "  %r = all_reduce %z on %tp @5:1\n"),
            None);
}

TEST(SumTerms, AShareOfItOnEachRankIsItOnce) {
  EXPECT_EQ(summed("R", "  %n = constant @6:1\n"
                        "  %c = op div(%b, %n scalar) @7:1\n"
                        "  %z = op add(%y, %c)\n"
                        "  %r = all_reduce %z on %tp from V to R @5:1\n"),
            None);
}

TEST(SumTerms, OfAnotherAxisNothingIsSaid) {
  EXPECT_EQ(findings("%y: \"tp: V, dp: V\", %b: \"tp: V, dp: R\"",
                     "  %z = op add(%y, %b)\n"
                     "  %r = all_reduce %z on %tp @5:1\n"),
            None);
}

TEST(SumTerms, WhatOneWayAddsMayBeOneRanks) {
  EXPECT_EQ(findings(Terms + ", %b: \"tp: R\", %c",
                     "  %y = op matmul(%x, %w)\n"
                     "  -> b1 b2 if %c\nb1:\n"
                     "  %i = op add(%y, %b) into %y\n  -> b2\nb2:\n"
                     "  %r = all_reduce %y on %tp @5:1\n"),
            None);
}

TEST(SumTerms, ANormOverShardsAndReplicasIsReported) {
  EXPECT_EQ(findings("%s: \"tp: V\", %b: \"tp: R\", %c",
                     "  %t = op sum(%s)\n  -> b1\nb1:\n"
                     "  -> b2 b3 if %c\nb2:\n"
                     "  %k = op sum(%b)\n"
                     "  %l = op add(%t, %k) into %t @9:1\n"
                     "  -> b1\nb3:\n"
                     "  all_reduce %t on %tp into %t @5:1\n",
                     "  return %t\n"),
            Findings{"9 partial-add [R V]"});
}

/// What is found in a caller that sums \p Given after `add`, with \p Body, was
/// called with it and a replica.
Findings afterCallee(const std::string &Body,
                     const std::string &Given = "%y: \"tp: V\"",
                     const std::string &Between = "") {
  return findings(Given + ", %b: \"tp: R\"",
                  "  call @add(%y, %b) @1:1\n" + Between +
                      "  all_reduce %y on %tp into %y @2:1\n",
                  "  ->\n}\nfunc @add(%out, %bias, %n) kernel {\n" + Body);
}

TEST(SumTerms, SoIsWhatACalleeAdds) {
  const std::string Adds = "  %5 = element %out at %n\n"
                           "  %6 = element %bias at %n\n"
                           "  %7 = op add(%5, %6)\n"
                           "  %8 = op copy(%7) into %5\n";
  const std::string Add = "b0:\n" + Adds;
  EXPECT_EQ(afterCallee(Add), Findings{"1 partial-add [R V]"});
  EXPECT_EQ(
      afterCallee("b0:\n  -> b1 b2 if %n\nb1:\n" + Adds + "  -> b2\nb2:\n"),
      Findings{"1 partial-add [R V]"});
  EXPECT_EQ(afterCallee(Add, "%y: \"tp: R\""), None);
  EXPECT_EQ(afterCallee("b0:\n  %5 = op div(%bias, %n)\n"
                        "  %6 = op add(%out, %5) into %out\n"),
            None);
  EXPECT_EQ(afterCallee(Add, "%y: \"tp: V\"",
                        "  %c = constant\n  %z = op div(%y, %c) into %y\n"),
            None);
}

} // namespace
