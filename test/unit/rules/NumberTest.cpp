//===- NumberTest.cpp - Numbers that nobody described ---------------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// How many findings there are in a function that adds to the gradient %g what
/// \p Body makes of the weight %w and the number %n.
std::size_t findings(llvm::StringRef Body, llvm::StringRef Number = "%n") {
  llvm::Expected<Module> M = parseModule(
      ("func @f(%g: \"dp: P\", %w: \"dp: R\", " + Number + ") {\nb0:\n" + Body +
       "  %9 = op add(%g, %8) into %g\n  ->\n}\n")
          .str(),
      OpCatalogue::builtin());
  if (!M) {
    ADD_FAILURE() << llvm::toString(M.takeError());
    return 0;
  }
  return inferModule(*M, {}).Violations.size();
}

TEST(Number, ByWhichTensorsAreMultipliedIsNoPendingSum) {
  EXPECT_EQ(findings("  %8 = op mul(%w, %n scalar)\n"), 1u);
  // Nor is what is made of numbers.
  EXPECT_EQ(findings("  %4 = op neg(%n scalar)\n"
                     "  %5 = op mul(%4 scalar, %n scalar)\n"
                     "  %8 = op mul(%w, %5 scalar)\n"),
            1u);
}

TEST(Number, ThatSomebodyDescribedIsWhatItIs) {
  EXPECT_EQ(findings("  %8 = op mul(%w, %n scalar)\n", "%n: \"dp: P\""), 0u);
}

TEST(Number, MayBeATermOfASum) {
  EXPECT_EQ(findings("  %8 = op neg(%n scalar)\n"), 0u);
  EXPECT_EQ(findings("  %8 = op mul(%n scalar, %n scalar)\n"), 0u);
}

TEST(Number, IsNothingThatIsUsedAsATensor) {
  EXPECT_EQ(findings("  %8 = op mul(%w, %n)\n"), 0u);
  // An element of a buffer is of what the buffer is.
  EXPECT_EQ(findings("  %4 = element %n at _\n  %8 = op mul(%w, %4 scalar)\n"),
            0u);
}

} // namespace
