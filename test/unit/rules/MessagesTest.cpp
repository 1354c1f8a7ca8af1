//===- MessagesTest.cpp - What messages between ranks bring ---------------===//

#include "ExitFindings.h"

#include "gtest/gtest.h"

#include <string>

using namespace spmd::rules;

namespace {

using Findings = std::vector<std::string>;
const Findings None, Differs{"2:1 w V"};

/// "2:1 w V" where an update by %g, which \p Facts leave, is found to differ.
Findings updatedAfter(const std::string &Facts) {
  return exitFindings(R"ir(
func @f(%x: "dp: V", %dp axis "dp", %tp axis "tp") {
  slot %w local outermost: "dp: R"
  slot %g local outermost: "dp: V"
b0:
  %w = declared "dp: R" @1:1
  %g = declared "dp: V" @1:2
)ir" + Facts + R"ir(
  %5 = op add(%w, %g) into %w @2:1
  ->
})ir");
}

TEST(Messages, BringWhatIsDeclaredWhereThereWasNothing) {
  EXPECT_EQ(Differs, updatedAfter("  havoc %g over %dp"));
}

TEST(Messages, MayMakeWhatDifferedTheSame) {
  const std::string Stored = "  %6 = op neg(%x) into %g\n";
  EXPECT_EQ(Differs, updatedAfter(Stored + "  havoc %g"));
  EXPECT_EQ(Differs, updatedAfter(Stored + "  havoc %g over %tp"));
  EXPECT_EQ(None, updatedAfter(Stored + "  havoc %g over %dp"));
  EXPECT_EQ(None, updatedAfter(Stored + "  havoc %g over %dp\n"
                                        "  %7 = op neg(%g) into %g"));
}

} // namespace
