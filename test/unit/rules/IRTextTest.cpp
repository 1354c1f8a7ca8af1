//===- IRTextTest.cpp - What is printed parses back -----------------------===//

#include "spmd/rules/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

TEST(IRText, OwnRulesComeWithTheModule) {
  const std::string Text = "rule own.copy(self) = \"linear(self)\"\n"
                           "rule scale(x, by?) = \"multilinear(x, by)\"\n"
                           "func @f(%x.0: \"tp: P\") {\n"
                           "b0:\n"
                           "  %1 = op own.copy(self=%x.0)\n"
                           "  %2 = op scale(x=%1, by=%x.0)\n"
                           "  %3 = op neg(self=%2)\n"
                           "  return %3\n"
                           "  ->\n"
                           "}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  ASSERT_EQ(M->OwnRules.size(), 2u);
  EXPECT_TRUE(M->OwnRules[1]->Formals[1].Optional);
  EXPECT_EQ(printModule(*M), Text);
}

TEST(IRText, SlotsKeepWhatIsSaidOfThem) {
  const std::string Text =
      "func @f(%x.0 ref escapes: \"tp: P\") constructor {\n"
      "  slot %w.1 local escapes owned\n"
      "  slot %v.2 local ref escapes: \"tp: R\"\n"
      "b0:\n"
      "  %w.1 = bind %x.0\n"
      "  %v.2 = refer %w.1\n"
      "  return %w.1\n"
      "  ->\n"
      "}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  EXPECT_TRUE(M->Functions[0]->Slots[1].Escapes);
  EXPECT_FALSE(M->Functions[0]->Slots[1].ByReference);
  EXPECT_TRUE(M->Functions[0]->Slots[1].Owned);
  EXPECT_TRUE(M->Functions[0]->IsConstructor);
  EXPECT_EQ(printModule(*M), Text);
}

TEST(IRText, ARuleThatIsNoneIsAnError) {
  const auto Error = [](const char *Text) {
    llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
    return M ? "none" : llvm::toString(M.takeError());
  };
  EXPECT_EQ(Error("rule f(x) = \"linear(y)\"\n"),
            "1:24: column 8: unknown operand 'y'");
  EXPECT_EQ(Error("func @f(%x) {\nb0:\n  %1 = op eye(%x)\n  ->\n}"),
            "3:15: 'eye' has no operands");
  EXPECT_EQ(Error("func @f(%x) {\nb0:\n  %1 = return %x\n  ->\n}"),
            "3:8: 'return' has no result");
  EXPECT_EQ(Error("func @f(%x) {\nb0:\n  bind %x\n  ->\n}"),
            "3:7: expected '%name =' before 'bind'");
  EXPECT_EQ(Error("func @f(%x, %x) {\n}"), "1:15: '%x' is declared twice");
  EXPECT_EQ(Error("func @\"a\\xy\"() {\n}"),
            "1:9: expected two hexadecimal digits after '\\'");
  EXPECT_EQ(Error("func @f(%x) {\nb0:\n  %1 = op neg(%y)\n  ->\n}"),
            "3:17: no slot '%y'");
}

} // namespace
