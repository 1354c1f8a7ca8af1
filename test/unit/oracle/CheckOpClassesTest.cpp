//===- CheckOpClassesTest.cpp - The rules of ordinary ops, by numbers -----===//

#include "spmd/oracle/CheckOpClasses.h"

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

} // namespace
