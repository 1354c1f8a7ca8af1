//===- CheckSpecsTest.cpp - Shape rules, by numbers -----------------------===//

#include "spmd/ops/OpCatalogue.h"
#include "spmd/oracle/CheckSpecTransfers.h"
#include "spmd/oracle/SpecGradients.h"

#include "gmock/gmock.h"

#include <set>

using namespace spmd::rules;
using namespace spmd::oracle;
using testing::IsEmpty;

// All of them take a sanitized build minutes; every other build runs them all.
#ifndef SPMD_ONE_OP_IN
#define SPMD_ONE_OP_IN 1
#endif

namespace {

TEST(CheckSpecs, NoShapeRuleAcceptsWhatIsWrong) {
  SpecLimits Limits;
  Limits.Meshes = {meshOf(2, 2)}; // the report has more
  Limits.Assignments = 6;
  std::set<std::string> Checked;
  SpecCounts All;
  for (const OpRule &R : OpCatalogue::builtin().rules()) {
    if (!R.Shape || !Checked.insert(specKey(R)).second ||
        Checked.size() % SPMD_ONE_OP_IN != 0)
      continue;
    const SpecCheck C = checkSpecs(R, Limits);
    EXPECT_THAT(C.Wrong, IsEmpty()) << R.File << ':' << R.Line;
    All += C.Counts;
  }
  EXPECT_GT(All.Accepted, 10000u / SPMD_ONE_OP_IN);
  EXPECT_GT(All.Rejected, 10000u / SPMD_ONE_OP_IN);
}

SpecCheck check(const char *Entry, std::size_t Assignments = 500) {
  OpCatalogue Ops;
  if (llvm::Error E = Ops.addYAML({Entry, "ops.yaml"}))
    ADD_FAILURE() << llvm::toString(std::move(E));
  SpecLimits Limits;
  Limits.Assignments = Assignments;
  return checkSpecs(Ops.rules().front(), Limits);
}

TEST(CheckSpecs, EveryTermIsRunWithItsGradients) {
  SpecLimits Limits;
  Limits.Meshes = {meshOf(2, 2)};
  Limits.Assignments = 40;
  for (const char *Op : {"scaled_dot_product_attention", "convolution",
                         "conv_transpose2d", "batch_norm", "cross_entropy_loss",
                         "nll_loss", "einsum", "_foreach_add"}) {
    const OpRule *R = OpCatalogue::builtin().rule(Op);
    ASSERT_TRUE(R) << Op;
    const SpecCheck C = checkSpecs(*R, Limits);
    EXPECT_THAT(C.Wrong, IsEmpty());
    EXPECT_GT(C.Counts.Accepted, 10u) << Op;
    EXPECT_GE(C.Counts.Gradients, C.Counts.Accepted) << Op;
  }
}

/// The entry of \p Op with other factors, or another rule for types.
std::vector<std::string> wrongOf(const char *Op, llvm::StringRef Factors,
                                 llvm::StringRef Rule = "",
                                 bool ExpectsNone = false) {
  const OpRule &Is = *OpCatalogue::builtin().rule(Op);
  std::string Formals;
  for (const RuleFormal &F : Is.Formals)
    Formals += (Formals.empty() ? "" : ", ") + F.Name +
               (F.Variadic ? "*" : "") + (F.Optional ? "?" : "");
  const std::string Entry =
      "- op: " + Is.Name + "\n  operands: " + Formals +
      "\n  rule: " + (Rule.empty() ? Is.TermText : Rule.str()) +
      "\n  factors: \"" +
      (Factors.empty() ? printShapeRule(*Is.Shape) : Factors.str()) + "\"\n";
  OpCatalogue Ops;
  const std::string File = Is.Family + ".yaml";
  if (llvm::Error E = Ops.addYAML({Entry, File}))
    ADD_FAILURE() << llvm::toString(std::move(E)) << " in " << Entry;
  SpecLimits Limits;
  Limits.Meshes = {meshOf(2, 2)};
  for (const std::size_t Assignments : {100u, 6000u}) {
    Limits.Assignments = Assignments;
    if (const SpecCheck C = checkSpecs(Ops.rules().front(), Limits);
        !C.Wrong.empty() || ExpectsNone)
      return C.Wrong;
  }
  return {};
}

TEST(CheckSpecs, WrongTermsAreCaught) {
  const struct {
    const char *Op, *Factors;
  } Mutants[] = {
      {"transpose", "permute(dim0|axis0)"},
      {"transpose", "move(dim0, dim1)"},
      {"transpose", "elementwise"},
      {"permute", "elementwise"},
      {"mT", "reverse"},
      {"t", "m n -> m n"},
      {"mean", "sum(dim, keepdim)"},
      {"amax", "along(dim)"},
      {"sum", "sum(dim)"},
      {"softmax", "elementwise"},
      {"cumsum", "elementwise"},
      {"sort", "elementwise"},
      {"glu", "elementwise"},
      {"relu", "sum"},
      {"exp", "reverse"},
      {"squeeze", "insert(dim)"},
      {"select", "insert(dim)"},
      {"cat", "elementwise"},
      {"stack", "concat(dim=0)"},
      {"flatten", "elementwise"},
      {"expand", "reshape(size)"},
      {"repeat_interleave", "repeat(dim)"},
      {"tril", "elementwise"},
      {"index_select", "gather(dim)"},
      {"embedding", "lookup(1)"},
      {"layer_norm", "elementwise of input"},
      {"layer_norm", "batch(1)"},
      {"group_norm", "batch(-2)"},
      {"batch_norm", "channels(0)"},
      {"convolution", "n c x^, o c k^ -> n o x^"},
      {"conv_transpose1d", "convolve(groups=1)"},
      {"scaled_dot_product_attention",
       "attend(0, enable_gqa=0) of query, key, value, attn_mask?"},
      {"scaled_dot_product_attention",
       "... l e^, ... s e^, ... s d -> ... l d of query, key, value"},
      {"cross_entropy_loss", "loss(reduction=1)"},
      {"mse_loss", "elementwise"},
      {"avg_pool2d", "... y x -> ... y x"},
      {"avg_pool2d", "... x^ -> ... u^"},
      {"det", "... m n -> ... "},
      // Wrong letters in notation.
      {"mm", "m k, n k -> m n"},
      {"mm", "m k, k n -> n m"},
      {"mm", "k m, k n -> m n"},
      {"bmm", "b m k, b k n -> m n"},
      {"mv", "m k, m -> k"},
      {"outer", "m, n -> n m"},
      {"linear", "... k, k n -> ... n of input, weight"},
      {"addmm", "m n, m k^, k^ n -> n m"},
      {"addbmm", "m n, b^ m k^, b^ k^ n -> n m"},
      {"baddbmm", "b m n, b m k^, b k^ n -> m n"},
      {"bilinear", "... a, ... b, n a b -> n ..."},
      {"einsum", "elementwise"},
  };
  for (const auto &[Op, Factors] : Mutants)
    EXPECT_THAT(wrongOf(Op, Factors), testing::Not(IsEmpty()))
        << Op << " as " << Factors;
}

TEST(CheckSpecs, WrongClassesOfProductsAreCaught) {
  for (const char *Op : {"mm", "matmul", "outer", "inner", "bmm", "dot"}) {
    EXPECT_THAT(wrongOf(Op, "", "", /*ExpectsNone=*/true), IsEmpty()) << Op;
    EXPECT_THAT(wrongOf(Op, "", "linear(self, other)"), testing::Not(IsEmpty()))
        << Op;
  }
  EXPECT_THAT(wrongOf("linear", "", "multilinear(input, weight, bias)"),
              testing::Not(IsEmpty()));
}

/// The product of x, sharded or not, with a vector that all ranks have.
TEST(SpecGradients, AreOfTheLayoutOfTheirOperand) {
  OpCatalogue Ops;
  cantFail(Ops.addYAML({"- op: product\n  operands: x, y\n"
                        "  rule: multilinear(x, y)\n"
                        "  factors: \"m k, k -> m\"\n",
                        "ops.yaml"}));
  const OpRule &Rule = Ops.rules().front();
  const SpecScenario X{{&Rule, {0, 1}, {}}, {}, {{}, {}}};
  const DeviceMesh M = meshOf(2, 2);
  std::mt19937 Random(1);
  const auto Any = [&](const Index &) { return Number(Random() % 19) - 9; };
  const std::vector<Tensor> Operands = {tabulate({4, 3}, Any),
                                        tabulate({3}, Any)};
  const Tensor Whole = *runReference(X.Call, Operands);
  const auto Check = [&](const spmd::planner::Layout &OfX,
                         const spmd::planner::Layout &OfY,
                         const spmd::planner::Layout &OfResult,
                         const spmd::planner::Layout &Ran) {
    const std::vector<Ranks> Shards = {distribute(Operands[0], Ran, M, Random),
                                       distribute(Operands[1], OfY, M, Random)};
    Ranks Made;
    for (std::size_t R = 0; R != 4; ++R)
      Made.push_back(
          *runReference(X.Call, std::vector{Shards[0][R], Shards[1][R]}));
    SpecGradients Gradients(X, M, Operands);
    const std::vector<const spmd::planner::Layout *> Layouts = {&OfX, &OfY};
    const std::string Wrong = Gradients.check(
        {X.Call, Layouts, Shards, Made, Whole, OfResult, nullptr});
    EXPECT_EQ(Gradients.count(), Wrong.empty() ? 2u : 1u);
    return Wrong;
  };
  const spmd::planner::Layout Rows{{{0}, {}}, {}}, Same{{{}, {}}, {}},
      Vector{{{}}, {}}, Pending{{{}, {}}, {1}}, ShardedResult{{{0}}, {}},
      PendingResult{{{}}, {1}};
  EXPECT_EQ(Check(Rows, Vector, ShardedResult, Rows), "");
  EXPECT_EQ(Check(Same, Vector, Vector, Same), "");
  EXPECT_EQ(Check(Pending, Vector, PendingResult, Pending), "");
  // What is the same on all ranks is taken for a sum, and the other way round.
  EXPECT_NE(Check(Same, Vector, PendingResult, Same), "");
  EXPECT_NE(Check(Pending, Vector, Vector, Pending), "");
}

TEST(CheckSpecs, MatmulIsSoundAndComplete) {
  const SpecCheck C = check("- op: product\n  operands: a, b\n"
                            "  rule: multilinear(a, b)\n"
                            "  factors: \"m k, k n -> m n\"\n");
  EXPECT_THAT(C.Wrong, IsEmpty());
  EXPECT_THAT(C.Imprecise, IsEmpty());
  EXPECT_GT(C.Counts.Accepted, 100u);
}

TEST(CheckSpecs, AMarkedFactorIsAFunctionOfAllOfIt) {
  const SpecCheck Plain = check("- op: f\n  operands: x\n  rule: linear(x)\n"
                                "  factors: \"m k -> m k\"\n");
  const SpecCheck Marked = check("- op: f\n  operands: x\n  rule: linear(x)\n"
                                 "  factors: \"m k^ -> m k^\"\n");
  for (const SpecCheck &C : {Plain, Marked}) {
    EXPECT_THAT(C.Wrong, IsEmpty());
    EXPECT_THAT(C.Imprecise, IsEmpty());
  }
  EXPECT_LT(Plain.Counts.Rejected, Marked.Counts.Rejected);
}

TEST(CheckSpecs, NoCollectiveIsTakenThatIsWrong) {
  const SpecCheck C = checkSpecTransfers({});
  EXPECT_THAT(C.Wrong, IsEmpty());
  EXPECT_EQ(C.Counts.Undecided, 0u);
  EXPECT_GT(C.Counts.Accepted, 100u);
  EXPECT_GT(C.Counts.Rejected, 100u);
}

TEST(Sharding, UnevenShardsOfTwoAxesReassemble) {
  const DeviceMesh M = meshOf(2, 2);
  const Tensor Whole =
      tabulate({5, 3}, [](const Index &I) { return Number(10 * I[0] + I[1]); });
  std::mt19937 Random(1);
  for (const spmd::planner::Layout &L : allLayouts(2, M)) {
    const Ranks X = distribute(Whole, L, M, Random);
    EXPECT_TRUE(reassembles(X, Whole, L, M)) << print(L, Whole.Dims, M);
  }
  spmd::planner::Layout Rows, Swapped;
  Rows.Dims = {{0, 1}, {}};
  Swapped.Dims = {{1, 0}, {}};
  const Ranks X = distribute(Whole, Rows, M, Random);
  // 3 and 2, each cut once more.
  EXPECT_EQ(X[0].Dims, (Shape{2, 3}));
  EXPECT_EQ(X[3].Dims, (Shape{1, 3}));
  EXPECT_FALSE(reassembles(X, Whole, Swapped, M));
}

} // namespace
