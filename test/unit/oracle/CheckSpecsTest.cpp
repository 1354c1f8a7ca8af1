//===- CheckSpecsTest.cpp - Shape rules, by numbers -----------------------===//

#include "spmd/oracle/CheckSpecTransfers.h"
#include "spmd/rules/OpCatalogue.h"

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
  Limits.Meshes = {{2, 2}}; // the report has more
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
  const MeshSizes M{2, 2};
  const Tensor Whole =
      tabulate({5, 3}, [](const Index &I) { return Number(10 * I[0] + I[1]); });
  std::mt19937 Random(1);
  for (const ShardLayout &L : allLayouts(2)) {
    const Ranks X = distribute(Whole, L, M, Random);
    EXPECT_TRUE(reassembles(X, Whole, L, M)) << L.str(Whole.Dims);
  }
  ShardLayout Rows, Swapped;
  Rows.Dims = {{0, 1}, {}};
  Swapped.Dims = {{1, 0}, {}};
  const Ranks X = distribute(Whole, Rows, M, Random);
  // 3 and 2, each cut once more.
  EXPECT_EQ(X[0].Dims, (Shape{2, 3}));
  EXPECT_EQ(X[3].Dims, (Shape{1, 3}));
  EXPECT_FALSE(reassembles(X, Whole, Swapped, M));
}

} // namespace
