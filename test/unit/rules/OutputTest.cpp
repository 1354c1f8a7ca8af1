//===- OutputTest.cpp - Parameters declared by what they hold on exit -----===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// "part on axis is R|I at 2:9" per violation.
std::vector<std::string> infer(llvm::StringRef Text) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  std::vector<std::string> Out;
  for (const Violation &V : inferModule(*M, {}).Violations) {
    const Place P = V.In->Places[index(V.At)];
    EXPECT_TRUE(V.as<ContractClash>());
    Out.push_back(V.Op + " on " + V.Axis + " is " +
                  printAxisType(V.Operands.front().Type) + " at " +
                  std::to_string(P.Line) + ":" + std::to_string(P.Column));
  }
  return Out;
}

using Findings = std::vector<std::string>;

TEST(Output, WhatItHeldBeforeDoesNotMatter) {
  const auto Scatter = [](llvm::StringRef Body) {
    return infer(("func @scatter(%part: \"-> axis: V\" !2:9, "
                  "%x: \"axis: P\", %axis) {\nb0:\n" +
                  Body +
                  "  ->\n}\n"
                  "func @step(%g: \"dp: P\", %own: \"dp: R -> dp: V\", "
                  "%dp axis \"dp\") -> \"dp: V\" {\nb0:\n"
                  "  call @scatter(%own, %g, %dp)\n"
                  "  %3 = op square(%own)\n  return %3\n  ->\n}\n")
                     .str());
  };
  // Whatever the caller's buffer held before.
  EXPECT_EQ(Scatter("  reduce_scatter %x on %axis into %part\n"), Findings());
  // Not written, it is nothing by itself, and in the call what it was.
  EXPECT_EQ(Scatter(""),
            (Findings{"part on dp is R at 2:9", "part on axis is ? at 2:9"}));
  // What some path writes, or a callee may, is written.
  EXPECT_EQ(Scatter("  -> b1 b2\nb1:\n"
                    "  reduce_scatter %x on %axis into %part\n  -> b2\nb2:\n"),
            Findings());
  EXPECT_EQ(Scatter("  havoc %part\n"), Findings());
  EXPECT_EQ(
      Scatter("  all_reduce %x on %axis into %part\n"),
      (Findings{"part on dp is R|I at 2:9", "part on axis is R|I at 2:9"}));
}

} // namespace
