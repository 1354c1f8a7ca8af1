//===- InIterationsTest.cpp - What holds in some iterations of a loop -----===//

#include "FactPlaces.h"

#include "spmd/inference/InIterations.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

using Findings = std::vector<std::string>;
const Findings None;

/// "3:1" for each finding that only iterations show of which \p Says is said.
Findings infer(llvm::StringRef Text,
               llvm::StringRef Says = "in iterations after the first") {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  const std::string Was = printModule(*M);
  const std::vector<const Fact *> Facts = factsOf(*M);
  InferenceResult Found = inferModule(*M, {});
  EXPECT_TRUE(Found.Violations.empty());
  Findings Out;
  for (const Violation &V : inferInIterations(*M, {}, Found)) {
    const Place P = V.In->Places[index(V.At)];
    Out.push_back(std::to_string(P.Line) + ":" + std::to_string(P.Column));
    EXPECT_EQ(V.Way.back().Says, Says);
  }
  EXPECT_EQ(printModule(*M), Was) << "blocks are put back";
  EXPECT_EQ(factsOf(*M), Facts) << "and are the very same";
  return Out;
}

/// A loop that does \p Body, from block 2 on, before it goes on; behind it is
/// \p Exit.
Findings inLoop(const std::string &Body, const std::string &Exit = "b3") {
  return infer("func @f(%w: \"dp: R\", %g: \"dp: P\", %x: \"dp: V\", %n, "
               "%dp axis \"dp\") {\nb0:\n  -> b1\nb1:\n  -> b2 " +
               Exit + "\n" + Body + Exit + ":\n  ->\n}\n");
}

TEST(InIterations, WhatIsReducedIsNotPendingAnyMore) {
  EXPECT_EQ(inLoop("b2:\n  all_reduce %g on %dp into %g @3:1\n  -> b1\n"),
            Findings{"3:1"});
}

TEST(InIterations, WhatIsMadeAnewIs) {
  EXPECT_EQ(inLoop("b2:\n  %7 = op mul(%x, %x) into %g @2:1\n"
                   "  all_reduce %g on %dp into %g @3:1\n  -> b1\n"),
            None);
}

TEST(InIterations, WhatSomeSkipHangsOnWhatTheyKnow) {
  EXPECT_EQ(inLoop("b2:\n  -> b3 b4\nb3:\n"
                   "  all_reduce %g on %dp into %g @3:1\n  -> b4\n"
                   "b4:\n  -> b1\n",
                   "b5"),
            None);
}

TEST(InIterations, AnotherPlaceOfTheBufferIsPendingStill) {
  EXPECT_EQ(inLoop("b2:\n  all_reduce %g on %dp into %g @3:1\n"
                   "  %7 = constant @4:1\n"
                   "  %g = view %g at %7 @4:1\n  -> b1\n"),
            None);
  EXPECT_EQ(inLoop("b2:\n  %8 = element %g at %n @2:1\n"
                   "  all_reduce %8 on %dp into %8 @3:1\n  -> b1\n"),
            None);
}

TEST(InIterations, InACalleeAsInItsCaller) {
  EXPECT_EQ(infer(R"(
func @sum(%p, %dp axis "dp") {
b0:
  all_reduce %p on %dp into %p @1:1
  ->
}
func @f(%g: "dp: P", %dp axis "dp") {
b0:
  -> b1
b1:
  -> b2 b3
b2:
  call @sum(%g, %dp) @3:1
  -> b1
b3:
  ->
}
)"),
            Findings{"1:1"});
}

/// A loop whose iterations leave of %g what nobody knows; before, block 3, to
/// which block 2 goes on as \p To says, does \p Body.
Findings inFirst(const std::string &To, const std::string &Body,
                 const std::string &Callee = "") {
  return infer(Callee +
                   "func @f(%g: \"dp: P\", %dp axis \"dp\") {\nb0:\n"
                   "  -> b1\nb1:\n  -> b2 b5\nb2:\n  -> " +
                   To + "\nb3:\n" + Body +
                   "  -> b4\nb4:\n  all_reduce %g on %dp into %g @8:1\n"
                   "  %20 = unknown @8:2\n  %g = bind %20 @8:2\n  -> b1\n"
                   "b5:\n  ->\n}\n",
               "in the first iteration");
}

TEST(InIterations, TheFirstOneFindsWhatIsPending) {
  const std::string Use = "  %6 = op relu(%g) @3:1\n";
  EXPECT_EQ(inFirst("b3", Use), Findings{"3:1"});
  // What some skip, the first may skip.
  EXPECT_EQ(inFirst("b3 b4", Use), None);
}

TEST(InIterations, ACalleeMayDoSoLaterOnly) {
  const std::string Call = "  call @use(%g) @2:1\n";
  EXPECT_EQ(inFirst("b3", Call,
                    "func @use(%p) {\nb0:\n  %1 = op relu(%p) @3:1\n  ->\n"
                    "}\n"),
            Findings{"3:1"});
  EXPECT_EQ(inFirst("b3", Call,
                    "func @use(%p) {\nb0:\n  -> b1 b2\nb1:\n"
                    "  %1 = op relu(%p) @3:1\n  -> b2\nb2:\n  ->\n}\n"),
            None);
}

} // namespace
