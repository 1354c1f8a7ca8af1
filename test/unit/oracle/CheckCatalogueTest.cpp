//===- CheckCatalogueTest.cpp - The types of named ops, by numbers --------===//

#include "spmd/oracle/CheckCatalogue.h"

#include "gmock/gmock.h"

#include <set>

using namespace spmd::rules;
using namespace spmd::oracle;
using testing::ElementsAre;
using testing::IsEmpty;

// All of them take a sanitized build minutes; every other build runs them all.
#ifndef SPMD_ONE_OP_IN
#define SPMD_ONE_OP_IN 1
#endif

namespace {

TEST(CheckCatalogue, NoRuleAcceptsWhatIsWrong) {
  std::set<std::string> Checked;
  for (const OpRule &R : OpCatalogue::builtin().rules()) {
    if (R.Kernel.empty() || !Checked.insert(checkKey(R)).second)
      continue;
    if (Checked.size() % SPMD_ONE_OP_IN != 0)
      continue;
    const OpCheck C = checkOp(R);
    EXPECT_EQ(C.Error, "") << R.File << ':' << R.Line;
    EXPECT_THAT(C.Unsound, IsEmpty()) << R.File << ':' << R.Line;
  }
  EXPECT_GT(Checked.size(), 200u);
}

OpCheck check(const char *Entry) {
  OpCatalogue Ops;
  if (llvm::Error E = Ops.addYAML({Entry, "ops.yaml"}))
    ADD_FAILURE() << llvm::toString(std::move(E));
  return checkOp(Ops.rules().front());
}

TEST(CheckCatalogue, AWrongRuleIsFound) {
  const OpCheck C = check("- op: act\n  operands: x\n"
                          "  rule: linear(x)\n  kernel: relu(x)\n");
  ASSERT_EQ(C.Unsound.size(), 1u);
  EXPECT_THAT(C.Unsound.front(), testing::StartsWith("act(P) -> P: ["));
}

TEST(CheckCatalogue, WhatMightBeAddedIsSaid) {
  const OpCheck C = check("- op: twice\n  operands: x\n"
                          "  rule: nonlinear(x)\n  kernel: add(x, x)\n");
  EXPECT_THAT(C.Unsound, IsEmpty());
  EXPECT_THAT(C.Absent, ElementsAre("twice(P) -> P"));
}

TEST(CheckCatalogue, OptionalOperandsAreLeftOutToo) {
  // Right with the bias only.
  const OpCheck C = check("- op: scale\n  operands: x, bias?\n"
                          "  rule: linear(x, bias)\n"
                          "  kernel: add(x, bias)\n");
  EXPECT_EQ(C.Typings, 4u * 16 + 4 * 4);
  EXPECT_THAT(C.Unsound, IsEmpty());
}

TEST(CheckCatalogue, AKernelThatIsNoneIsAnError) {
  EXPECT_EQ(check("- op: f\n  operands: x\n  rule: linear(x)\n"
                  "  kernel: add(x, y)\n")
                .Error,
            "'y' is neither a kernel nor an operand");
  EXPECT_EQ(check("- op: f\n  operands: x\n  rule: linear(x)\n"
                  "  kernel: add(x\n")
                .Error,
            "expected ')' after the operands of 'add'");
  EXPECT_EQ(check("- op: f\n  operands: x\n  rule: linear(x)\n"
                  "  kernel: square(x, x)\n")
                .Error,
            "'square' has too many operands");
}

} // namespace
