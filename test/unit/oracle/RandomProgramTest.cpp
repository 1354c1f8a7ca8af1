//===- RandomProgramTest.cpp - Accepted programs are right ----------------===//

#include "spmd/oracle/RandomProgram.h"
#include "spmd/rules/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;
using namespace spmd::oracle;

namespace {

/// A function of one parameter, written down instead of drawn.
std::string check(llvm::StringRef Body, LocalType Parameter, LocalType Result) {
  llvm::Expected<Module> M = parseModule(
      ("func @f(%x, %tp axis \"tp\") {\nb0:\n" + Body + "  ->\n}").str(),
      OpCatalogue::builtin());
  if (!M)
    return llvm::toString(M.takeError());
  Program P;
  P.F = std::move(M->Functions[0]);
  P.Types = {Parameter};
  P.Shapes = {{}};
  return checkProgram(P, Result, 2, 7);
}

TEST(RandomProgram, WhatIsWrongIsFound) {
  EXPECT_EQ(check("  %2 = op square(self=%x)\n  return %2\n", LocalType::R,
                  LocalType::R),
            "");
  EXPECT_NE(check("  %2 = op square(self=%x)\n  return %2\n", LocalType::P,
                  LocalType::P)
                .find("the result"),
            std::string::npos);
  EXPECT_EQ(check("  %2 = all_reduce %x on %tp from P to I\n  return %2\n",
                  LocalType::P, LocalType::I),
            "");
  // The forward pass is right; the gradient is not.
  EXPECT_NE(
      check("  %2 = op neg(self=%x)\n  return %2\n", LocalType::I, LocalType::R)
          .find("the gradient of parameter 0"),
      std::string::npos);
}

TEST(RandomProgram, WhatIsAcceptedIsRight) {
  std::mt19937 Random(20261121);
  for (unsigned I = 0; I != 20000; ++I) {
    const int N = 2 + static_cast<int>(I % 3);
    const TypedProgram T = randomProgram(Random, 8, N);
    for (LocalType Result : AllLocalTypes)
      if (T.Result.contains(Result)) {
        ASSERT_EQ(checkProgram(T.P, Result, N, I), "")
            << "on " << N << " ranks:\n"
            << T.str();
      }
  }
}

} // namespace
