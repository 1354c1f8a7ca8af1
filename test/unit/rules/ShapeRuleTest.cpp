//===- ShapeRuleTest.cpp - What an op does to dims ------------------------===//

#include "spmd/ops/ShapeRule.h"
#include "spmd/types/TypeSpec.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

std::string roundTrip(llvm::StringRef Text) {
  llvm::Expected<ShapeRule> R = parseShapeRule(Text);
  if (!R) {
    std::string Out;
    llvm::handleAllErrors(R.takeError(), [&](const PayloadError &E) {
      Out = std::to_string(E.Offset) + ": " + E.Message;
    });
    return Out;
  }
  const std::string Once = printShapeRule(*R);
  llvm::Expected<ShapeRule> Again = parseShapeRule(Once);
  if (!Again)
    return "printed form does not parse: " + Once +
           llvm::toString(Again.takeError());
  EXPECT_EQ(*Again, *R) << Once;
  return Once;
}

TEST(ShapeRule, EveryTermHasItsPlace) {
  for (unsigned T = 0; T <= static_cast<unsigned>(ShapeTerm::Einsum); ++T) {
    EXPECT_FALSE(shapeTermName(static_cast<ShapeTerm>(T)).empty());
    EXPECT_FALSE(shapeTermMeaning(static_cast<ShapeTerm>(T)).empty());
  }
}

TEST(ShapeRule, Terms) {
  EXPECT_EQ(roundTrip(" elementwise "), "elementwise");
  EXPECT_EQ(roundTrip("fold( dim , keepdim)"), "fold(dim, keepdim)");
  EXPECT_EQ(roundTrip("swap(dim0|axis0,dim1|axis1)"),
            "swap(dim0|axis0, dim1|axis1)");
  EXPECT_EQ(roundTrip("swap(-2, -1)"), "swap(-2, -1)");
  const ShapeRule Softmax =
      llvm::cantFail(parseShapeRule("along(dim=-1) of self"));
  EXPECT_EQ(Softmax.Term, ShapeTerm::Along);
  EXPECT_EQ(Softmax.Parameters[0].Name, "dim");
  EXPECT_EQ(Softmax.Parameters[0].Default, -1);
  EXPECT_EQ(Softmax.Of[0].Name, "self");
}

TEST(ShapeRule, NotationsByRankAreOneAlternative) {
  const ShapeRule Matmul = llvm::cantFail(
      parseShapeRule("k, k -> | m k, k -> m | ... m k, ... k n -> ... m n"));
  EXPECT_EQ(Matmul.Notations.size(), 3u);
  EXPECT_TRUE(Matmul.Otherwise.empty());
  EXPECT_EQ(roundTrip("k,k->|m k,k->m"), "k, k ->  | m k, k -> m");
}

TEST(ShapeRule, NothingBeforeTheArrowIsNoOperand) {
  EXPECT_TRUE(
      llvm::cantFail(parseShapeRule("-> n^")).Notations[0].Operands.empty());
  EXPECT_EQ(roundTrip("-> n^"), " -> n^");
  EXPECT_EQ(roundTrip(", m -> m"), ", m -> m");
}

TEST(ShapeRule, AlternativesMayNameTheirOperands) {
  const ShapeRule Max = llvm::cantFail(
      parseShapeRule("elementwise of self, other | fold(dim, keepdim)"));
  ASSERT_EQ(Max.Otherwise.size(), 1u);
  EXPECT_EQ(Max.Otherwise[0].Term, ShapeTerm::Fold);
  EXPECT_EQ(roundTrip("m k, k n, n -> m n of a, b, bias? | whole"),
            "m k, k n, n -> m n of a, b, bias? | whole");
  EXPECT_EQ(roundTrip("m -> m of a | m n -> m n of b"),
            "m -> m of a | m n -> m n of b");
  EXPECT_EQ(roundTrip("(of) m -> (of) m of a"), "(of) m -> (of) m of a");
  EXPECT_EQ(roundTrip("m -> m | m n -> m n of a | whole | n -> n"),
            "m -> m | m n -> m n of a | whole | n -> n");
}

TEST(ShapeRule, ErrorsStandWhereTheyAre) {
  EXPECT_EQ(roundTrip("elementwize"),
            "0: unknown term 'elementwize'; the nearest is 'elementwise'");
  const std::string Expected =
      "expected factors such as \"m k, k n -> m n\" or a term such as "
      "'sum(dim, keepdim)', got ";
  EXPECT_EQ(roundTrip(""), "0: " + Expected + "the end");
  EXPECT_EQ(roundTrip("whole |"), "7: " + Expected + "the end");
  EXPECT_EQ(roundTrip("whole | 7"), "8: " + Expected + "'7'");
  EXPECT_EQ(roundTrip("swap(dim0)"), "0: 'swap' takes 2 parameters, got 1");
  EXPECT_EQ(roundTrip("sum(a, b, c)"),
            "0: 'sum' takes 0 to 2 parameters, got 3");
  EXPECT_EQ(roundTrip("pick(dim=x)"), "9: expected a number, got 'x'");
  EXPECT_EQ(roundTrip("pick()"),
            "5: expected a parameter's name or a number, got ')'");
  EXPECT_EQ(roundTrip("pick(dim"), "8: expected ')', got the end");
  EXPECT_EQ(roundTrip("whole whole"),
            "6: expected 'of', '|' or the end, got 'whole'");
  EXPECT_EQ(roundTrip("elementwise of self, self"),
            "21: operand 'self' is given twice");
  EXPECT_EQ(roundTrip("m -> m of a, b"),
            "14: 'm -> m' has 1 operand, but 'of' names 2");
  EXPECT_EQ(roundTrip("m -> n | whole"),
            "5: factor 'n' is in no operand; a dim that the op adds is 'n^'");
}

TEST(ShapeRule, OfAFunctionThatSaysItself) {
  EXPECT_EQ(printShapeRule(
                *shapeRuleOf(llvm::cantFail(parseOpSpec("m k, k n -> m n")))),
            "m k, k n -> m n");
  EXPECT_EQ(
      printShapeRule(*shapeRuleOf(llvm::cantFail(parseOpSpec("elementwise")))),
      "elementwise");
  EXPECT_FALSE(shapeRuleOf(llvm::cantFail(parseOpSpec("linear"))));
}

} // namespace
