//===- GivenBackwardTest.cpp - Backward passes of the program's own -------===//

#include "spmd/inference/FindingText.h"
#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// What is found, or what the output is, where a function that does \p Forward
/// with %x to %y, and \p Backward with %g to %dx, is given an \p Input.
std::string outputOf(llvm::StringRef Input, llvm::StringRef Forward,
                     llvm::StringRef Backward) {
  const std::string Text =
      ("func @fwd(%c, %x) {\n  slot %y local\n  slot %s local\n"
       "  slot %r local\n  slot %tp global axis \"tp\"\n"
       "  slot %kept field %c saved\nb0:\n  %kept = bind %x\n" +
       Forward +
       "  return %y\n  ->\n}\n"
       "func @bwd(%c, %gs) {\n  slot %result result\n  slot %s local\n"
       "  slot %tp global axis \"tp\"\n  slot %g field %gs \"[0]\"\n"
       "  slot %dx field %result \"[0]\"\n  slot %kept field %c saved\nb0:\n" +
       Backward +
       "  return _\n  ->\n}\n"
       "func @f(%x: \"tp: " +
       Input +
       "\") {\n  slot %c local\n  slot %gs local\n  slot %y local\n"
       "  slot %out local\n"
       "  slot %kept field %c saved\n  slot %g field %gs \"[0]\"\nb0:\n"
       "  %c = undefined\n  %gs = undefined\n  %g = unknown\n"
       "  %y = call @fwd(%c, %x) no_grad\n"
       "  %out = call @bwd(%c, %gs) no_grad pullback %y from (%x)\n"
       "  point end(%out)\n  return %out\n  ->\n}\n")
          .str();
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return llvm::toString(M.takeError());
  EXPECT_EQ(printModule(*M), printModule(llvm::cantFail(parseModule(
                                 printModule(*M), OpCatalogue::builtin()))));
  std::string Type;
  const InferenceResult Found = inferModule(*M, {}, [&](const TypedSlot &T) {
    if (T.Of && std::holds_alternative<PointFact>(*T.Of))
      for (const auto &[Axis, Is] : T.Types)
        Type = printAxisType(Is);
  });
  for (const Violation &V : Found.Violations)
    return V.as<GivenGradient>()
               ? "leaves " + printAxisType(V.Operands.front().Type)
               : "another finding";
  return Type;
}

constexpr llvm::StringLiteral Same = "  %y = bind %x\n",
                              SameBack = "  %dx = bind %g\n",
                              SumBack = "  %s = all_reduce %g on %tp\n"
                                        "  %dx = bind %s\n",
                              Sum = "  %s = all_reduce %x on %tp\n"
                                    "  %y = bind %s\n",
                              Slice = "  %r = rank_of %tp\n"
                                      "  %y = view %x at %r\n",
                              GatherBack = "  %s = all_gather %g on %tp\n"
                                           "  %dx = bind %s\n";

TEST(GivenBackward, TellsReplicateFromInvariant) {
  EXPECT_EQ(outputOf("I", Same, SameBack), "I");
  EXPECT_EQ(outputOf("R", Same, SameBack), "R");
  EXPECT_EQ(outputOf("I", Same, SumBack), "R");
  EXPECT_EQ(outputOf("V", Sum, SameBack), "I");
  EXPECT_EQ(outputOf("P", Sum, SameBack), "I");
  EXPECT_EQ(outputOf("V", Sum, SumBack), "R");
}

TEST(GivenBackward, MustFitTheInput) {
  EXPECT_EQ(outputOf("R", Same, SumBack), "leaves R|I");
  EXPECT_EQ(outputOf("I", Slice, GatherBack), "V");
  EXPECT_EQ(outputOf("R", Slice, GatherBack), "leaves R|I");
  EXPECT_EQ(outputOf("I", Slice, SameBack), "leaves V");
  // Of what is R, each rank's own is its part.
  EXPECT_EQ(outputOf("R", Slice, SameBack), "V");
}

TEST(GivenBackward, KnowsWhatTheForwardPassKept) {
  EXPECT_EQ(outputOf("V", Same, "  %dx = op mul(%g, %kept)\n"), "V");
  EXPECT_EQ(outputOf("I", Sum, "  %dx = op mul(%g, %kept)\n"),
            "another finding"); // equal values are added up
  EXPECT_EQ(
      outputOf("I", "  %y = op mul(%x, %x)\n", "  %dx = op mul(%g, %kept)\n"),
      "I");
}

TEST(GivenBackward, LeavesOpenWhatNobodyKnows) {
  EXPECT_EQ(outputOf("I", Same, "  %dx = unknown\n"), "R|I");
  EXPECT_EQ(outputOf("I", Same, "  %dx = undefined\n"), "R|I");
  EXPECT_EQ(outputOf("I", "  %y = unknown\n", SameBack), "?");
}

} // namespace
