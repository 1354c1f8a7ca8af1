// Where one value alone cannot make an op right, several move together.

#include "spmd/fixits/RepairTrials.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;
using namespace spmd::fixits;

namespace {

/// The plan for the one violation of a function of two axes whose body is
/// \p Op, as "%a: all_gather V -> R on tp; …", what moves together with "+".
std::string planned(const std::string &Parameters, const std::string &Op) {
  const std::string IR = "func @f(" + Parameters +
                         ", %dp axis \"dp\", %tp axis \"tp\") global mesh "
                         "\"dp=2, tp=4\" {\nb0:\n  %9 = op " +
                         Op + " @2:9\n  return %9\n  ->\n}\n";
  llvm::Expected<Module> M = parseModule(IR, OpCatalogue::builtin());
  if (!M)
    return llvm::toString(M.takeError()) + IR;
  const InferenceResult Found = inferModule(*M, {});
  if (Found.Violations.size() != 1)
    return std::to_string(Found.Violations.size()) + " violations";
  RepairTrials Trials(*M, {}, Found.Violations);
  std::string Out;
  const auto Print = [&](const Repair &R) {
    Out += std::to_string(R.Operand);
    if (R.ToType)
      Out += " to " + printTypeSpec(*R.ToType);
    for (const Step &S : R.Steps)
      Out += " " + std::string(operatorName(S.Row->Op)) + " " +
             printAtom(S.from()) + " -> " + printAtom(S.to()) + " on " + S.Axis;
  };
  for (const Repair &R : Trials.plan(Found.Violations[0])) {
    Out += Out.empty() ? "" : "; ";
    Print(R);
    for (const Repair &Other : R.Also) {
      Out += " + ";
      Print(Other);
    }
    Out += R.Checks ? "" : " (a step)";
    Out += R.Preferred ? "" : " (not preferred)";
    break; // the first
  }
  return Out;
}

TEST(ReshardTogether, KeysAndValuesOfAttention) {
  EXPECT_EQ(planned(R"(%q: "[8@dp, 4, 64@tp, 16]", %k: "[8@dp, 4, 64@tp, 16]",
                       %v: "[8@dp, 4, 64@tp, 16]")",
                    "scaled_dot_product_attention(%q !2:1, %k !2:2, %v !2:3)"),
            "1 all_gather S(2) -> R on tp + 2 all_gather S(2) -> R on tp");
}

TEST(ReshardTogether, AllThatIsPutTogether) {
  EXPECT_EQ(planned(R"(%a: "[8@dp, 64@tp]", %b: "[8@dp, 32@tp]",
                       %c: "[8@dp, 16@tp]")",
                    "cat(%a !2:1, %b !2:2, %c !2:3) [dim=1]"),
            "0 all_to_all S(1) -> S(0) on tp + 1 all_to_all S(1) -> S(0) on "
            "tp + 2 all_to_all S(1) -> S(0) on tp");
}

TEST(ReshardTogether, AnotherDimWhereThatIsCheaper) {
  EXPECT_EQ(
      planned(R"(%a: "[4096, 4096@tp]{dp: R}",
                       %b: "[4096, 4096@tp]{dp: R}")",
              "cat(%a !2:1, %b !2:2) [dim=1]"),
      "0 all_to_all S(1) -> S(0) on tp + 1 all_to_all S(1) -> S(0) on tp");
}

TEST(ReshardTogether, ManyAtOnce) {
  std::string Parameters, Call, Expected;
  for (unsigned I = 0; I != 12; ++I) {
    const std::string Name = "%a" + std::to_string(I);
    Parameters += (I ? ", " : "") + Name + ": \"[3@dp, 64@tp]\"";
    Call += (I ? ", " : "") + Name + " !2:" + std::to_string(I + 1);
    Expected +=
        (I ? " + " : "") + std::to_string(I) + " all_gather S(1) -> R on tp";
  }
  EXPECT_EQ(planned(Parameters, "cat(" + Call + ") [dim=1]"), Expected);
}

TEST(ReshardTogether, TwoAxesOfOneFactor) {
  EXPECT_EQ(planned(R"(%a: "[8, 64@(dp,tp)]", %b: "[8, 32@(dp,tp)]")",
                    "cat(%a !2:1, %b !2:2) [dim=1]"),
            "0 to [8@(tp,dp), 64] + 1 to [8@(tp,dp), 32]");
}

TEST(ReshardTogether, OneAxisAfterTheOther) {
  EXPECT_EQ(planned(R"(%a: "[7@dp, 64@tp]", %b: "[7, 32@tp]{dp: R}")",
                    "cat(%a !2:1, %b !2:2) [dim=1]"),
            "1 convert R -> S(0) on dp (a step)");
}

} // namespace
