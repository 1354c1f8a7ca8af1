//===- WitnessTest.cpp - Findings in numbers ------------------------------===//

#include "spmd/explain/Witness.h"
#include "spmd/ir/IRText.h"

#include "gmock/gmock.h"

using namespace spmd::rules;
using namespace spmd::explain;
using testing::ElementsAre;

namespace {

/// The witnesses of a function of %x on one axis.
std::vector<std::string> witnesses(const std::string &Parameters,
                                   const std::string &Body) {
  llvm::Expected<Module> M =
      parseModule("func @f(" + Parameters + ") {\nb0:\n" + Body + "  ->\n}",
                  OpCatalogue::builtin());
  if (!M)
    return {llvm::toString(M.takeError())};
  std::vector<std::string> Out;
  for (const Violation &V : inferModule(*M, {}).Violations)
    Out.push_back(witness(V));
  return Out;
}

TEST(Witness, OpsAreRun) {
  EXPECT_THAT(witnesses("%x: \"tp: P\"", "  %1 = op square(%x !3:1) @3:1\n"),
              ElementsAre("two ranks holding 1 and 1: you get 2, one device "
                          "gets 4"));
  EXPECT_THAT(
      witnesses("%x: \"tp: P\", %y: \"tp: P\"",
                "  %2 = op mul(%x !3:1, %y !3:2) @3:1\n"),
      ElementsAre("two ranks holding 1 and 1 of 'x', 1 and 1 of 'y': you get "
                  "2, one device gets 4"));
  EXPECT_THAT(
      witnesses("%x: \"tp: P\", %b: \"tp: R\"",
                "  %2 = op add(%x !3:1, %b !3:2) @3:1\n"),
      ElementsAre("two ranks holding 1 and 1 of 'x', 1 and 1 of 'b': you get "
                  "4, one device gets 3"));
  EXPECT_THAT(
      witnesses("%x: \"tp: P\"", "  %1 = op exp(%x !3:1) @3:1\n"),
      ElementsAre("with a square in place of 'exp', two ranks holding 1 and 1: "
                  "you get 2, one device gets 4"));
}

TEST(Witness, GradientsAreRunBack) {
  EXPECT_THAT(
      witnesses("%x: \"tp: V\", %b: \"tp: I\"",
                "  %2 = op add(%x !3:1, %b !3:2) @3:1\n"),
      ElementsAre("two ranks holding 1 and 1 of 'x', 1 and 1 of 'b': the "
                  "gradient 1 and 1 gives 'b' 1 and 1, one device gives it 2"));
}

TEST(Witness, CollectivesAndContracts) {
  EXPECT_THAT(
      witnesses("%x: \"tp: R\", %tp axis \"tp\"",
                "  %2 = all_reduce %x on %tp from P to R\n"),
      ElementsAre("two ranks holding 1 and 1: you get 2, one device gets 1"));
  EXPECT_THAT(
      witnesses("%x: \"tp: P\"", "  require assert_type %x \"tp: R\"\n"),
      ElementsAre("two ranks holding 1 and 2: each goes on with its "
                  "own, one device has 3"));
}

} // namespace
