//===- RawCollectiveTest.cpp - Collectives without declared types ---------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

using Findings = std::vector<std::string>;
const Findings None;

/// "3:1 dp [V]" for each value that disagrees with what is declared.
Findings infer(llvm::StringRef Text) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  Findings Out;
  for (const Violation &V : inferModule(*M, {}).Violations) {
    const Place P = V.In->Places[index(V.At)];
    Out.push_back(llvm::formatv("{0}:{1} {2} {3} [{4}]", P.Line, P.Column,
                                V.as<ContractClash>() ? "contract" : "other",
                                V.Axis, printAxisType(V.Operands[0].Type))
                      .str());
  }
  return Out;
}

TEST(RawCollective, WhatRanksGetOfAScanAGatherOrAScatterVaries) {
  for (const char *Kind : {"scan", "gather", "scatter"})
    for (const char *Of : {"R", "V", "P"})
      EXPECT_EQ(infer(llvm::formatv(R"ir(
func @f(%x: "dp: {1}", %out: "dp: R -> dp: R", %dp axis "dp") {{
b0:
  %1 = {0} %x on %dp into %out @4:3
  ->
})ir",
                                    Kind, Of)
                          .str()),
                Findings{"0:0 contract dp [V]"})
          << Kind << " of " << Of;
}

TEST(RawCollective, WhateverRanksItIsOfABroadcastOfReplicasMakesReplicas) {
  const char *Text = R"ir(
func @f(%x: "dp: {0}", %comm) -> "dp: {1}" {{
b0:
  %1 = {2} %x on %comm into %x
  return %x @5:3
  ->
})ir";
  const auto Run = [&](const char *Of, const char *To, const char *Kind) {
    return infer(llvm::formatv(Text, Of, To, Kind).str());
  };
  EXPECT_EQ(Run("R", "V", "broadcast"), Findings{"5:3 contract dp [R]"});
  EXPECT_EQ(Run("R", "V", "all_gather"), Findings{"5:3 contract dp [R]"});
  EXPECT_EQ(Run("R", "R", "broadcast"), None);
  // Of those of a part of the axis, or of another, it may be anything.
  EXPECT_EQ(Run("V", "R", "broadcast"), None);
  EXPECT_EQ(Run("V", "V", "broadcast"), None);
  EXPECT_EQ(Run("P", "R", "all_reduce"), None);
}

} // namespace
