//===- CheckOpClassesTest.cpp - The rules of ordinary ops, by numbers -----===//

#include "spmd/oracle/CheckOpClasses.h"
#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;
using namespace spmd::oracle;

namespace {

TEST(CheckOpClasses, WhatIsAcceptedIsRight) {
  for (const ClassCell &C : classCells())
    if (C.Accepted) {
      EXPECT_EQ(findCounterexample(C), "");
    }
}

TEST(CheckOpClasses, WhatIsRejectedIsWrong) {
  for (const ClassCell &C : classCells())
    if (!C.Accepted) {
      EXPECT_NE(findCounterexample(C), "") << C.str();
    }
}

/// The inference judges the programs as the classes judge the tuples.
TEST(CheckOpClasses, TheInferenceReportsJustWhatIsRejected) {
  for (const ClassCell &C : classCells()) {
    llvm::Expected<Module> M = parseModule(C.program(), OpCatalogue::builtin());
    ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
    EXPECT_EQ(inferModule(*M, {}).Violations.empty(), C.Accepted)
        << C.program();
  }
}

} // namespace
