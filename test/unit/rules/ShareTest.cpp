//===- ShareTest.cpp - What all ranks have, divided among them ------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// The types on tp of what \p Body makes and "!" for each finding; %x is
/// \p Type, %2 the number of ranks on tp.
std::string share(const std::string &Type, const std::string &Body) {
  llvm::Expected<Module> M =
      parseModule("func @f(%x.0: \"tp: " + Type +
                      "\") {\n  slot %tp.1 local axis \"tp\"\nb0:\n"
                      "  %2 = size_of %tp.1\n" +
                      Body + "  ->\n}\n",
                  OpCatalogue::builtin());
  if (!M)
    return "parse error: " + llvm::toString(M.takeError());
  std::string Out;
  const InferenceResult R = inferModule(*M, {}, [&](const TypedSlot &S) {
    if (S.As == TypedSlot::Role::Made && index(S.Slot) > 2)
      Out += printAxisType(S.Types[0].second) + " ";
  });
  return Out + std::string(R.Violations.size(), '!');
}

const std::string Divided = "  %3 = op div(self=%x.0, other=%2 scalar)\n";

TEST(Share, IsTheSameOnAllRanksAndASumOverThem) {
  EXPECT_EQ(share("R", Divided), "R|P ");
  EXPECT_EQ(share("R", Divided + "  require return %3 \"tp: P\"\n"), "R|P ");
  EXPECT_EQ(share("R", Divided + "  require return %3 \"tp: R\"\n"), "R|P ");
  EXPECT_EQ(share("R", Divided + "  require return %3 \"tp: V\"\n"), "R|P !");
}

TEST(Share, OpsTakeItForEither) {
  EXPECT_EQ(share("R", Divided + "  %4 = op relu(self=%3)\n"), "R|P R ");
  EXPECT_EQ(share("R", Divided + "  %4 = op relu(self=%3)\n"
                                 "  require return %3 \"tp: P\"\n"),
            "R|P R ");
  EXPECT_EQ(share("R", Divided + "  %4 = op mul(self=%3, other=%x.0)\n"),
            "R|P R|P ");
}

TEST(Share, IsNoneOfWhatIsNotTheSameOrHasAGradientOnEachRank) {
  EXPECT_EQ(share("V", Divided), "V ");
  EXPECT_EQ(share("P", Divided), "P ");
  EXPECT_EQ(share("I", Divided), "I ");
}

TEST(Share, NothingButTheNumberOfRanksDivides) {
  EXPECT_EQ(share("R", "  %3 = op mul(self=%x.0, other=%2 scalar)\n"), "R ");
  EXPECT_EQ(share("R", "  %3 = op div(self=%2 scalar, other=%x.0)\n"), "R ");
  EXPECT_EQ(share("R", "  %3 = constant\n"
                       "  %4 = op div(self=%x.0, other=%3 scalar)\n"),
            "R ");
}

} // namespace
