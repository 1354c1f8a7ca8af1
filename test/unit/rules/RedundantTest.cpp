//===- RedundantTest.cpp - What one operator could do ---------------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

using Findings = std::vector<std::string>;
const Findings None;

/// "all_gather reinterpret: all_gather S(0) R" per finding, or ": nothing".
Findings redundant(llvm::StringRef Text, InferenceOptions Options = {}) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  Options.FindRedundant = true;
  Findings Out;
  for (const Violation &V : inferModule(*M, Options).Violations) {
    const auto *Found = V.as<RedundantChain>();
    if (!Found) {
      Out.push_back("wrong");
      continue;
    }
    std::string Line;
    for (const TransferFact *T : Found->Chain)
      Line += (Line.empty() ? "" : " ") + std::string(transferName(T->K));
    Line += Found->Instead
                ? ": " + std::string(operatorName(Found->Instead->Op)) + " " +
                      printAtom(Found->From) + " " + printAtom(Found->To)
                : ": nothing";
    Out.push_back(Line);
  }
  return Out;
}

/// The body of a function of `%x` of this type, a weight `%w` that is R, and
/// two axes.
Findings ofBody(llvm::StringRef Type, llvm::StringRef Body,
                llvm::StringRef Slots = "") {
  return redundant(("func @f(%x: \"tp: " + Type +
                    "\", %w: \"tp: R\", %tp axis \"tp\", %dp axis \"dp\") {\n" +
                    Slots + "b0:\n" + Body + "\n  ->\n}")
                       .str());
}

/// Two operators in a row: "all_gather S(0) I", "reinterpret I R".
Findings pair(llvm::StringRef First, llvm::StringRef Second) {
  const auto Fact = [](llvm::StringRef Result, llvm::StringRef Of,
                       llvm::StringRef Said) {
    const auto [Op, Types] = Said.split(' ');
    const auto [From, To] = Types.split(' ');
    return ("  " + Result + " = " + Op + " " + Of + " on %tp from " + From +
            " to " + To + "\n")
        .str();
  };
  const llvm::StringRef Type = First.split(' ').second.split(' ').first;
  return ofBody(Type, Fact("%4", "%x", First) + Fact("%5", "%4", Second) +
                          "  return %5");
}

TEST(Redundant, GatheredToInvariantAndUsedAsReplicate) {
  EXPECT_EQ(pair("all_gather S(0) I", "reinterpret I R"),
            Findings{"all_gather reinterpret: all_gather S(0) R"});
  EXPECT_EQ(pair("all_gather S(1) I", "convert I R"),
            Findings{"all_gather convert: all_gather S(1) R"});
  EXPECT_EQ(pair("all_gather V I", "reinterpret I R"),
            Findings{"all_gather reinterpret: all_gather V R"});
}

TEST(Redundant, ReducedAndCutIsScattered) {
  EXPECT_EQ(pair("all_reduce P R", "convert R S(1)"),
            Findings{"all_reduce convert: reduce_scatter P S(1)"});
  EXPECT_EQ(pair("all_reduce P I", "convert I S(0)"),
            Findings{"all_reduce convert: reduce_scatter P S(0)"});
}

TEST(Redundant, GatheredAndCutIsExchangedOrLeftAlone) {
  EXPECT_EQ(pair("all_gather S(0) R", "convert R S(1)"),
            Findings{"all_gather convert: all_to_all S(0) S(1)"});
  EXPECT_EQ(pair("all_gather S(0) R", "convert R S(0)"),
            Findings{"all_gather convert: nothing"});
  EXPECT_EQ(pair("all_to_all S(0) S(1)", "all_to_all S(1) S(0)"),
            Findings{"all_to_all all_to_all: nothing"});
  EXPECT_EQ(pair("all_to_all S(0) S(1)", "all_gather S(1) R"),
            Findings{"all_to_all all_gather: all_gather S(0) R"});
}

TEST(Redundant, CutOrMadePartialAndPutTogether) {
  EXPECT_EQ(pair("convert R S(0)", "all_gather S(0) R"),
            Findings{"convert all_gather: nothing"});
  EXPECT_EQ(pair("convert R P", "all_reduce P R"),
            Findings{"convert all_reduce: nothing"});
  EXPECT_EQ(pair("convert I S(0)", "all_gather S(0) R"),
            Findings{"convert all_gather: reinterpret I R"});
  EXPECT_EQ(pair("convert R P", "reduce_scatter P S(0)"),
            Findings{"convert reduce_scatter: convert R S(0)"});
}

TEST(Redundant, OnlyTheBackwardIsCheaper) {
  EXPECT_EQ(pair("reinterpret I R", "convert R S(0)"),
            Findings{"reinterpret convert: convert I S(0)"});
  EXPECT_EQ(pair("reduce_scatter P S(0)", "all_gather S(0) I"),
            Findings{"reduce_scatter all_gather: all_reduce P I"});
}

TEST(Redundant, WhatCostsTheSameStays) {
  EXPECT_EQ(pair("all_reduce P I", "reinterpret I R"), None);
  EXPECT_EQ(pair("reduce_scatter P S(0)", "all_gather S(0) R"), None);
}

TEST(Redundant, WhatSaysAnotherTypeIsNotInARow) {
  // A stack of shards is not a shard.
  EXPECT_EQ(pair("all_gather V R", "convert R S(0)"), None);
  // -1 may be dim 0.
  EXPECT_EQ(pair("all_gather S(0) R", "convert R S(-1)"), None);
  EXPECT_EQ(pair("all_gather S(-1) R", "convert R S(-1)"),
            Findings{"all_gather convert: nothing"});
  EXPECT_EQ(pair("all_gather S(-2) R", "convert R S(-1)"),
            Findings{"all_gather convert: all_to_all S(-2) S(-1)"});
}

TEST(Redundant, WhatChangesTheMeaningIsNoLink) {
  EXPECT_EQ(pair("reinterpret V P", "all_reduce P R"), None);
  EXPECT_EQ(ofBody("V", "  %4 = all_reduce %x on %tp from V to R\n"
                        "  %5 = convert %4 on %tp from R to S(0)\n"
                        "  return %5"),
            None);
}

TEST(Redundant, TheLongestThatSavesMoreIsChosen) {
  EXPECT_EQ(ofBody("P", "  %4 = all_reduce %x on %tp from P to R\n"
                        "  %5 = convert %4 on %tp from R to S(0)\n"
                        "  %6 = all_gather %5 on %tp from S(0) to R\n"
                        "  return %6"),
            Findings{"all_reduce convert all_gather: all_reduce P R"});
  EXPECT_EQ(ofBody("S(0)", "  %4 = all_gather %x on %tp from S(0) to I\n"
                           "  %5 = reinterpret %4 on %tp from I to R\n"
                           "  %6 = convert %5 on %tp from R to S(1)\n"
                           "  return %6"),
            Findings{"all_gather reinterpret convert: all_to_all S(0) S(1)"});
}

TEST(Redundant, NamedOnTheWayAndReadMoreThanOnce) {
  EXPECT_EQ(ofBody("S(0)",
                   "  %4 = all_gather %x on %tp from S(0) to I\n"
                   "  %5 = bind %4\n"
                   "  %6 = reinterpret %5 on %tp from I to R\n"
                   "  %7 = reinterpret %5 on %tp from I to R\n"
                   "  %8 = op mul(%6, %7)\n  return %8",
                   "  slot %5 local\n"),
            Findings{"all_gather reinterpret reinterpret: all_gather S(0) R"});
  // The two results would be one.
  EXPECT_EQ(ofBody("S(0)", "  %4 = all_gather %x on %tp from S(0) to I\n"
                           "  %5 = reinterpret %4 on %tp from I to R\n"
                           "  %6 = reinterpret %4 on %tp from I to R\n"
                           "  %7 = op add(%5, %w) into %5\n  return %6"),
            None);
}

TEST(Redundant, WhatOthersReadStays) {
  const auto With = [](llvm::StringRef Slot, llvm::StringRef Use) {
    return ofBody("S(0)",
                  ("  %4 = all_gather %x on %tp from S(0) to R\n"
                   "  %5 = bind %4\n"
                   "  %6 = convert %5 on %tp from R to S(1)\n" +
                   Use + "  return %6")
                      .str(),
                  ("  slot %5 " + Slot + "\n").str());
  };
  EXPECT_EQ(With("local", ""),
            Findings{"all_gather convert: all_to_all S(0) S(1)"});
  EXPECT_EQ(With("local", "  %7 = op relu(%5)\n"), None);
  EXPECT_EQ(With("local", "  %7 = op relu(%4)\n"), None);
  EXPECT_EQ(With("local", "  return %5\n"), None);
  EXPECT_EQ(With("local", "  %7 = op add(%5, %w) into %5\n"), None);
  EXPECT_EQ(With("local", "  havoc %5\n"), None);
  EXPECT_EQ(With("local", "  %7 = call @g(%5)\n"), None);
  EXPECT_EQ(With("local", "  %7 = convert %5 on %tp from R to S(0)\n"), None);
  EXPECT_EQ(With("local escapes", ""), None);
  EXPECT_EQ(With("local: \"tp: R\"", ""), None);
  EXPECT_EQ(With("local ref", ""), None);
  EXPECT_EQ(With("global", ""), None);
  EXPECT_EQ(With("field %x weight", ""), None);
}

TEST(Redundant, WithoutAnOperatorTheOperandItselfIsUsed) {
  const auto With = [](llvm::StringRef Use) {
    return ofBody("R", ("  %4 = convert %x on %tp from R to S(0)\n"
                        "  %5 = all_gather %4 on %tp from S(0) to R\n" +
                        Use + "  return %5")
                           .str());
  };
  EXPECT_EQ(With(""), Findings{"convert all_gather: nothing"});
  EXPECT_EQ(With("  %6 = op add(%x, %w) into %x\n"), None);
  EXPECT_EQ(With("  %6 = op add(%5, %w) into %5\n"), None);
  EXPECT_EQ(With("  %6 = view %5 at %w\n  %7 = op add(%6, %w) into %6\n"),
            None);
  EXPECT_EQ(With("  %6 = call @g(%x)\n"), None);
  EXPECT_EQ(With("  %x = bind %w\n"), None);
}

TEST(Redundant, OneAxisAtATime) {
  EXPECT_EQ(redundant(R"ir(
func @f(%x: "tp: P, dp: R", %tp axis "tp", %dp axis "dp") {
b0:
  %3 = all_reduce %x on %tp from P to R
  %4 = convert %3 on %dp from R to S(0)
  return %4
  ->
})ir"),
            None);
  EXPECT_EQ(redundant(R"ir(
func @f(%x: "tp: P, dp: P", %both axis "(dp, tp)") {
b0:
  %2 = all_reduce %x on %both from P to R
  %3 = convert %2 on %both from R to S(0)
  return %3
  ->
})ir"),
            None);
}

/// The axes of two parameters are one axis only in some calls.
TEST(Redundant, AxesOfParametersMayDiffer) {
  const auto Of = [](llvm::StringRef Second) {
    return redundant(("func @g(%x, %p, %q) {\nb0:\n"
                      "  %3 = all_reduce %x on %p from P to R\n"
                      "  %4 = convert %3 on " +
                      Second +
                      " from R to S(0)\n  return %4\n  ->\n}\n"
                      "func @f(%x: \"tp: P\", %tp axis \"tp\") {\nb0:\n"
                      "  %2 = call @g(%x, %tp, %tp)\n  return %2\n  ->\n}\n")
                         .str());
  };
  EXPECT_EQ(Of("%p"), Findings{"all_reduce convert: reduce_scatter P S(0)"});
  EXPECT_EQ(Of("%q"), None);
}

TEST(Redundant, SingletonAxesSayNothing) {
  MeshSpec Mesh;
  Mesh.Axes.push_back({"tp", 1, std::nullopt});
  InferenceOptions Options;
  Options.Mesh = &Mesh;
  EXPECT_EQ(redundant("func @f(%x: \"tp: R\", %tp axis \"tp\") {\nb0:\n"
                      "  %2 = convert %x on %tp from R to S(0)\n"
                      "  %3 = all_gather %2 on %tp from S(0) to R\n"
                      "  return %3\n  ->\n}",
                      Options),
            None);
}

TEST(Redundant, OneBlockAtATime) {
  EXPECT_EQ(redundant(R"ir(
func @f(%x: "tp: S(0)", %c, %tp axis "tp") {
b0:
  %3 = all_gather %x on %tp from S(0) to R
  -> b1 b2
b1:
  %4 = convert %3 on %tp from R to S(1)
  return %4
  ->
b2:
  return %x
  ->
})ir"),
            None);
}

/// What is read before it is made is of the round before.
TEST(Redundant, RoundALoop) {
  EXPECT_EQ(redundant(R"ir(
func @f(%x: "tp: S(0)", %tp axis "tp") {
  slot %5 local
b0:
  -> b1
b1:
  %3 = convert %5 on %tp from R to S(1)
  %4 = all_gather %x on %tp from S(0) to R
  %5 = bind %4
  -> b1 b2
b2:
  return %x
  ->
})ir"),
            None);
}

TEST(Redundant, WhatIsWrongIsNotCalledRedundant) {
  EXPECT_EQ(ofBody("R", "  %4 = all_reduce %x on %tp from P to R\n"
                        "  %5 = convert %4 on %tp from R to S(0)\n"
                        "  return %5"),
            Findings{"wrong"});
}

TEST(Redundant, RawCollectivesStay) {
  EXPECT_EQ(ofBody("P", "  all_reduce %x on %tp into %x\n"
                        "  %5 = convert %x on %tp from R to S(0)\n"
                        "  return %5"),
            None);
  EXPECT_EQ(ofBody("P", "  %4 = all_reduce %x on %tp\n"
                        "  %5 = convert %4 on %tp from R to S(0)\n"
                        "  return %5"),
            None);
}

TEST(Redundant, OnlyWhenAsked) {
  llvm::Expected<Module> M =
      parseModule("func @f(%x: \"tp: R\", %tp axis \"tp\") {\nb0:\n"
                  "  %2 = convert %x on %tp from R to S(0)\n"
                  "  %3 = all_gather %2 on %tp from S(0) to R\n"
                  "  return %3\n  ->\n}",
                  OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  EXPECT_TRUE(inferModule(*M, {}).Violations.empty());
}

} // namespace
