//===- OpRuleTest.cpp - Applying rules to sets of types -------------------===//

#include "OpRules.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

constexpr TypeSet R = LocalType::R, I = LocalType::I, V = LocalType::V,
                  P = LocalType::P, Any = TypeSet::all();

TEST(ApplyRule, SeedsTableOfLegalCombinations) {
  const OpRule Add = ruleOf("self, other", "linear(self, other)");
  EXPECT_EQ(apply(Add, {R, R}).Output, R);
  EXPECT_EQ(apply(Add, {I, I}).Output, I);
  EXPECT_EQ(apply(Add, {V, V}).Output, V);
  EXPECT_EQ(apply(Add, {R, V}).Output, V);
  EXPECT_EQ(apply(Add, {P, P}).Output, P);
  for (TypeSet Other : {R, V, P})
    EXPECT_TRUE(apply(Add, {I, Other}).Output.empty());
  for (TypeSet Other : {R, I, V})
    EXPECT_TRUE(apply(Add, {P, Other}).Output.empty());

  const OpRule Mul = ruleOf("self, other", "multilinear(self, other)");
  EXPECT_EQ(apply(Mul, {P, R}).Output, P);
  EXPECT_EQ(apply(Mul, {R, P}).Output, P);
  EXPECT_TRUE(apply(Mul, {P, P}).Output.empty());
  EXPECT_TRUE(apply(Mul, {P, V}).Output.empty());
  EXPECT_TRUE(apply(Mul, {I, P}).Output.empty());

  const OpRule Div = ruleOf("self, other", "quotient(self, other)");
  EXPECT_EQ(apply(Div, {P, R}).Output, P);
  EXPECT_TRUE(apply(Div, {R, P}).Output.empty());

  const OpRule Relu = ruleOf("self", "nonlinear(self)");
  EXPECT_TRUE(apply(Relu, {P}).Output.empty());
  EXPECT_EQ(apply(Relu, {Any}).Output, R | I | V);
  EXPECT_EQ(apply(Relu, {Any}).Narrowed[0], R | I | V);
}

TEST(ApplyRule, NarrowsOperandsByEachOther) {
  const OpRule Add = ruleOf("self, other", "linear(self, other)");
  const RuleResult WithP = apply(Add, {P, Any});
  EXPECT_EQ(WithP.Output, P);
  EXPECT_EQ(WithP.Narrowed[1], P);
  const RuleResult WithV = apply(Add, {Any, V});
  EXPECT_EQ(WithV.Output, V);
  EXPECT_EQ(WithV.Narrowed[0], R | V);
  // Two unknowns stay unknown.
  const RuleResult Unknown = apply(Add, {Any, Any});
  EXPECT_EQ(Unknown.Output, Any);
  EXPECT_EQ(Unknown.Narrowed[0], Any);
}

TEST(ApplyRule, NarrowingReachesThroughNestedApplications) {
  const OpRule AddMM =
      ruleOf("self, mat1, mat2", "linear(self, multilinear(mat1, mat2))");
  // A pending sum in the bias is one in the product, so in one factor.
  const RuleResult Result = apply(AddMM, {P, R, Any});
  EXPECT_EQ(Result.Output, P);
  EXPECT_EQ(Result.Narrowed[2], P);
}

TEST(ApplyRule, BlamesTheInnermostIllegalApplication) {
  const OpRule AddMM =
      ruleOf("self, mat1, mat2", "linear(self, multilinear(mat1, mat2))");
  const RuleResult Product = apply(AddMM, {R, P, P});
  ASSERT_TRUE(Product.Culprit);
  EXPECT_EQ(Product.Culprit->Class, OpClass::Multilinear);
  EXPECT_EQ(Product.CulpritOperands, (llvm::SmallVector<unsigned, 4>{1, 2}));
  EXPECT_EQ(Product.CulpritSets, (llvm::SmallVector<TypeSet, 4>{P, P}));

  const RuleResult Bias = apply(AddMM, {R, P, R});
  ASSERT_TRUE(Bias.Culprit);
  EXPECT_EQ(Bias.Culprit->Class, OpClass::Linear);
  EXPECT_EQ(Bias.CulpritOperands, (llvm::SmallVector<unsigned, 4>{0, 1}));
  EXPECT_EQ(Bias.CulpritSets, (llvm::SmallVector<TypeSet, 4>{R, P}));
}

TEST(ApplyRule, AbsentOperandsDropOut) {
  const OpRule Linear =
      ruleOf("input, weight, bias?",
             "linear(multilinear(input, weight), multilinear(bias))");
  EXPECT_EQ(apply(Linear, {P, R}, {0, 1}).Output, P);
  EXPECT_TRUE(apply(Linear, {P, R, R}, {0, 1, 2}).Output.empty());
  EXPECT_EQ(apply(Linear, {P, R, P}, {0, 1, 2}).Output, P);
  // Without any operand nothing is known.
  EXPECT_EQ(apply(Linear, {}, {}).Output, Any);
}

TEST(ApplyRule, VariadicFormalsTakeAllTheirOperands) {
  const OpRule Cat = ruleOf("tensors*", "linear(tensors)");
  EXPECT_EQ(apply(Cat, {R, V, R}, {0, 0, 0}).Output, V);
  EXPECT_TRUE(apply(Cat, {P, P, R}, {0, 0, 0}).Output.empty());
  const RuleResult Narrowed = apply(Cat, {Any, Any, I, Any}, {0, 0, 0, 0});
  EXPECT_EQ(Narrowed.Output, I);
  for (TypeSet Set : Narrowed.Narrowed)
    EXPECT_EQ(Set, I);
}

TEST(ApplyRule, LiteralsAdoptTheOtherType) {
  const OpRule Fill = ruleOf(
      "self, mask, value", "multilinear(selector(mask), linear(self, value))");
  const TypeSet Literal = typesOf(SourceKind::Constant);
  const TypeSet Zero = typesOf(SourceKind::Zero);
  EXPECT_TRUE(apply(Fill, {P, R, Literal}).Output.empty());
  EXPECT_EQ(apply(Fill, {P, R, Zero}).Output, P);
  EXPECT_EQ(apply(Fill, {I, R, Literal}).Output, I);
  EXPECT_EQ(apply(Fill, {V, V, Literal}).Output, V);
}

TEST(ApplyRule, SelectorsMayBeReplicatedOrInvariant) {
  const OpRule Gather =
      ruleOf("self, index", "multilinear(selector(index), self)");
  EXPECT_EQ(apply(Gather, {P, R}).Output, P);
  EXPECT_EQ(apply(Gather, {P, I}).Output, P);
  EXPECT_EQ(apply(Gather, {I, R}).Output, I);
  EXPECT_EQ(apply(Gather, {R, V}).Output, V);
  EXPECT_TRUE(apply(Gather, {I, V}).Output.empty());
  EXPECT_TRUE(apply(Gather, {P, V}).Output.empty());
}

TEST(ApplyRule, RandomNumbersMayDifferBetweenRanks) {
  const OpRule Dropout = ruleOf("input", "random(input)");
  EXPECT_EQ(apply(Dropout, {R}).Output, R | V);
  // A mask that varies would make the gradient of an I operand vary.
  EXPECT_EQ(apply(Dropout, {I}).Output, I);
  EXPECT_EQ(apply(Dropout, {V}).Output, V);
  EXPECT_TRUE(apply(Dropout, {P}).Output.empty());
}

TEST(ApplyRule, AFormalThatOccursTwiceKeepsOneType) {
  // x * f(x): as two operands, P times R would be legal.
  const OpRule Rule = ruleOf("x", "multilinear(x, shape_only(x))");
  EXPECT_EQ(apply(Rule, {Any}).Narrowed[0], Any);
  const OpRule Square = ruleOf("x", "multilinear(x, x)");
  EXPECT_TRUE(apply(Square, {P}).Output.empty());
  const RuleResult PR = apply(Square, {P | R});
  EXPECT_EQ(PR.Output, R);
  EXPECT_EQ(PR.Narrowed[0], R);
  ASSERT_TRUE(apply(Square, {P}).Culprit);
  // No choice of one type: only trying each shows it.
  const OpRule Never =
      ruleOf("x", "multilinear(linear(x, zero), nonlinear(x), x)");
  EXPECT_EQ(apply(Never, {P | V}).Output, V);
}

// Every rule below, every set for every operand: the automata against plain
// enumeration of the tuples.
TEST(ApplyRule, IsExact) {
  for (const auto &[Formals, Term] : {
           std::pair{"a", "linear(a)"},
           {"a", "multilinear(a, nonlinear(a))"},
           {"a, b", "linear(a, b)"},
           {"a, b", "multilinear(a, b)"},
           {"a, b", "quotient(a, b)"},
           {"a, b", "nonlinear(a, b)"},
           {"a, b", "selector(a, b)"},
           {"a, b", "stop_gradient(a, b)"},
           {"a, b", "shape_only(a, b)"},
           {"a, b", "random(a, b)"},
           {"a, b", "own_part(a, b)"},
           {"a, b", "linear(a, multilinear(a, b))"},
           {"a, b", "linear(zero, multilinear(a, constant), b)"},
           {"a, b, c", "linear(a, multilinear(b, c))"},
           {"a, b, c", "quotient(multilinear(a, b), nonlinear(c))"},
           {"a, b, c", "multilinear(selector(a), linear(b, c))"},
           {"a, b, c", "multilinear(nonlinear(a, b), c)"},
           {"a, b, c", "random(stop_gradient(a, b), multilinear(b, c))"},
       })
    EXPECT_EQ(firstInexact(ruleOf(Formals, Term)), "") << Term;
}

TEST(ReadsParameter, ByNameAlternativeOrIndex) {
  const OpRule Rule = ruleOf("self, other=mat2|vec, C=14",
                             "linear(multilinear(self, other), C)");
  EXPECT_TRUE(readsParameter(Rule.Formals[0], "self", 3));
  EXPECT_TRUE(readsParameter(Rule.Formals[0], "input", 3));
  EXPECT_FALSE(readsParameter(Rule.Formals[0], "mat2", 0));
  EXPECT_TRUE(readsParameter(Rule.Formals[1], "vec", 9));
  EXPECT_FALSE(readsParameter(Rule.Formals[1], "other", 9));
  EXPECT_TRUE(readsParameter(Rule.Formals[2], "", 14));
  EXPECT_FALSE(readsParameter(Rule.Formals[2], "C", 1));
}

} // namespace
