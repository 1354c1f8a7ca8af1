//===- RuleTermTest.cpp - Op rules as text --------------------------------===//

#include "spmd/ops/OpRule.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

RuleFormal formal(const char *Name, char Mark = ' ') {
  RuleFormal F;
  F.Name = Name;
  F.Optional = Mark == '?';
  F.Variadic = Mark == '*';
  return F;
}

const std::vector<RuleFormal> Formals = {formal("self"), formal("other"),
                                         formal("bias", '?'),
                                         formal("tensors", '*')};

/// The term printed back, or "column: message".
std::string parse(llvm::StringRef Text) {
  llvm::Expected<RuleTerm> T = parseRuleTerm(Text, Formals);
  if (T)
    return printRuleTerm(*T, Formals);
  return llvm::toString(T.takeError());
}

TEST(RuleTerm, PrintsBackWhatItReads) {
  for (const char *Text :
       {"self", "zero", "constant", "unknown", "linear(self)",
        "linear(bias, multilinear(self, other))", "nonlinear(tensors)",
        "multilinear(selector(self), linear(other, tensors))",
        "quotient(constant, self)", "shape_only(self)", "stop_gradient(self)",
        "random(self)", "own_part(self)"})
    EXPECT_EQ(parse(Text), Text);
  EXPECT_EQ(parse("  linear ( self ,\n  other )  "), "linear(self, other)");
}

TEST(RuleTerm, ErrorsNameTheColumn) {
  EXPECT_EQ(parse(""), "column 1: expected a class, an operand or a source");
  EXPECT_EQ(parse("lineer(self)"),
            "column 1: unknown class 'lineer'; the nearest is 'linear'");
  EXPECT_EQ(parse("linear(self, othr)"),
            "column 14: unknown operand 'othr'; the nearest is 'other'");
  EXPECT_EQ(parse("linear self"),
            "column 7: expected '(' after the class 'linear'");
  EXPECT_EQ(parse("linear(self, )"),
            "column 14: expected a class, an operand or a source");
  EXPECT_EQ(parse("linear(self"),
            "column 12: expected ',' or ')' before the end of the rule");
  EXPECT_EQ(parse("linear(self; other)"),
            "column 12: expected ',' or ')', found ';'");
  EXPECT_EQ(parse("linear(self) other"),
            "column 14: expected the end of the rule, found 'other'");
}

TEST(RuleTerm, AQuotientHasItsNumerator) {
  const char *Why =
      "the numerator of a quotient is one operand that is always there";
  EXPECT_EQ(parse("quotient(bias, self)"), std::string("column 10: ") + Why);
  EXPECT_EQ(parse("quotient( tensors, self)"),
            std::string("column 11: ") + Why);
  EXPECT_EQ(parse("quotient(linear(bias), self)"),
            std::string("column 10: ") + Why);
  EXPECT_EQ(parse("quotient(linear(bias, other), self)"),
            "quotient(linear(bias, other), self)");
}

TEST(RuleTerm, SeveralOperandsNeedAClass) {
  EXPECT_EQ(parse("tensors"), "column 1: several operands 'tensors' need a "
                              "class that combines them");
}

TEST(RuleTerm, DepthIsBounded) {
  std::string Deep;
  for (int I = 0; I != 100000; ++I)
    Deep += "linear(";
  EXPECT_EQ(parse(Deep), "column 225: the rule is nested too deeply");
}

} // namespace
