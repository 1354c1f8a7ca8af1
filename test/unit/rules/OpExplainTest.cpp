//===- OpExplainTest.cpp - Op rules for people ----------------------------===//

#include "spmd/ops/OpExplain.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

std::string explain(llvm::StringRef Name) {
  llvm::Expected<std::string> Text = explainOp(OpCatalogue::builtin(), Name);
  return Text ? *Text : llvm::toString(Text.takeError());
}

std::string withoutPlace(std::string Text) {
  const std::size_t From = Text.find("  from: ");
  return Text.erase(From, Text.find('\n', From) + 1 - From);
}

TEST(ExplainOp, PrintsRuleReasonAndTable) {
  EXPECT_EQ(withoutPlace(explain("at::div_")),
            "div(self, other) = quotient(self, other)\n"
            "  why: linear in the numerator; one over a pending sum is not the "
            "sum of the reciprocals\n"
            "  computes: divide(self, other)\n"
            "  dims: elementwise\n"
            "        operands are aligned at the last dim and broadcast; all "
            "dims are kept\n"
            "  divides: the result is the first operand divided by the second\n"
            "  in place: the result is written to 'self'\n"
            "  also: divide, true_divide\n"
            "\n"
            "  self other  result\n"
            "  R    R      R\n"
            "  R    V      V\n"
            "  I    I      I\n"
            "  V    R      V\n"
            "  V    V      V\n"
            "  P    R      P\n"
            "  all other combinations are illegal\n");
}

TEST(ExplainOp, SaysWhatEachAlternativeDoesToDims) {
  const std::string Matmul = explain("linear");
  EXPECT_NE(Matmul.find("  dims: ... k^, n k^, n -> ... n\n"
                        "        ..., n are kept; k is needed whole\n"),
            std::string::npos);
  EXPECT_NE(Matmul.find("  dims: ... k, n k -> ... n\n"
                        "        ..., n are kept; k is added up, so that its "
                        "shards give a pending sum\n"),
            std::string::npos);
  EXPECT_NE(explain("one_hot").find("... is kept; c is new\n"),
            std::string::npos);
  EXPECT_NE(explain("at::max").find("  dims: elementwise of self, other\n"),
            std::string::npos);
  EXPECT_NE(explain("at::max").find("  dims: fold(dim, keepdim)\n"),
            std::string::npos);
}

TEST(ExplainOp, AcceptsBareAndFullNames) {
  EXPECT_EQ(explain("matmul"), explain("at::matmul"));
  EXPECT_NE(explain("cublasGemmEx").find("'C' is not read when 'beta' is zero"),
            std::string::npos);
  EXPECT_NE(explain("zeros").find("result: R or I or P"), std::string::npos);
  EXPECT_NE(explain("at::Tensor::view").find("shares the storage of 'self'"),
            std::string::npos);
}

TEST(ExplainOp, SuggestsNearNames) {
  EXPECT_EQ(explain("at::sofmax").substr(0, 49),
            "no rule for 'at::sofmax'; the nearest are 'softma");
}

TEST(ListRules, CountsAll) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  listRules(OpCatalogue::builtin(), OS);
  EXPECT_NE(Text.find("# matmul\n"), std::string::npos);
  EXPECT_NE(Text.find("\nadd(self, other, alpha?) = linear(self, "
                      "multilinear(other, alpha))\n"
                      "    dims: elementwise\n"),
            std::string::npos);
  EXPECT_NE(Text.find(std::to_string(OpCatalogue::builtin().rules().size()) +
                      " ops with "),
            std::string::npos);
}

} // namespace
