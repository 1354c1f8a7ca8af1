//===- PlanTest.cpp - From one layout to another --------------------------===//

#include "spmd/planner/Plan.h"
#include "spmd/planner/AllLayouts.h"
#include "spmd/planner/Explain.h"
#include "spmd/planner/Published.h"

#include "gmock/gmock.h"

using namespace spmd::planner;
using testing::HasSubstr;

namespace {

DeviceMesh mesh(std::initializer_list<std::pair<const char *, int>> Axes) {
  DeviceMesh Out;
  for (auto [Name, Size] : Axes)
    Out.All.push_back({Name, Size});
  return Out;
}

std::string explained(const char *From, const char *To, const DeviceMesh &M) {
  auto A = spmd::rules::parseTypeSpec(From), B = spmd::rules::parseTypeSpec(To);
  if (!A || !B)
    return "parse error";
  auto L = layoutOf(*A, M), K = layoutOf(*B, M);
  auto S = shapeOf(*A);
  if (!L || !K || !S)
    return "no layout";
  return explain(planRedistribution(*L, *K, *S, M), *L, *S, M, 4);
}

TEST(Plan, SwappedAxesAreOnePermutation) {
  EXPECT_EQ(explained("f32[8@(dp,tp)]", "f32[8@(tp,dp)]",
                      mesh({{"dp", 2}, {"tp", 4}})),
            "[8@(dp,tp)]\n"
            "  permute over (dp,tp), 4 bytes per rank\n"
            "[8@(tp,dp)]\n"
            "1 collective, 4 bytes per rank (no plan needs less than 4), peak "
            "4 bytes\n");
}

TEST(Plan, WhatNeedsNoCommunicationHasNone) {
  const DeviceMesh M = mesh({{"dp", 2}, {"tp", 2}});
  EXPECT_EQ(explained("f32[4, 4@tp]", "f32[4@dp, 4@tp]", M),
            "[4, 4@tp]\n"
            "  slice\n"
            "[4@dp, 4@tp]\n"
            "0 collectives, 0 bytes per rank, peak 32 bytes\n");
  EXPECT_THAT(explained("f32[4, 4]", "f32[4, 4]{tp: P}", M),
              HasSubstr("0 collectives"));
  EXPECT_THAT(explained("f32[4@tp, 4]", "f32[4, 4]{tp: P}", M),
              HasSubstr("0 collectives"));
}

TEST(Plan, CollectivesHaveTheirNames) {
  const DeviceMesh M = mesh({{"dp", 2}, {"tp", 2}});
  EXPECT_THAT(explained("f32[4@(dp,tp), 4]", "f32[4, 4]", M),
              HasSubstr("all_gather over (dp,tp), 48 bytes"));
  EXPECT_THAT(explained("f32[4@tp, 4]", "f32[4, 4@tp]", M),
              HasSubstr("all_to_all over tp, 16 bytes"));
  EXPECT_THAT(explained("f32[4, 4]{tp: P}", "f32[4@tp, 4]", M),
              HasSubstr("reduce_scatter over tp, 32 bytes"));
  EXPECT_THAT(explained("f32[4, 4]{tp: P}", "f32[4, 4]", M),
              HasSubstr("all_reduce over tp, 64 bytes"));
  // One collective for a small tensor, the fewest bytes for a large one.
  EXPECT_THAT(explained("f32[4, 4]{dp: P, tp: P}", "f32[4@tp, 4]", M),
              HasSubstr("all_reduce over (tp,dp)"));
  EXPECT_THAT(
      explained("f32[4096, 4096]{dp: P, tp: P}", "f32[4096@tp, 4096]", M),
      HasSubstr("reduce_scatter over"));
}

/// Latency counts for nothing, bytes for everything.
constexpr Link BytesAlone = {0, 1};

void eachPair(unsigned Rank, const DeviceMesh &M,
              llvm::function_ref<void(const Layout &, const Layout &)> Visit) {
  const std::vector<Layout> All = allLayouts(Rank, M, /*WithPartial=*/true);
  for (const Layout &From : All)
    for (const Layout &To : All)
      Visit(From, To);
}

void expectExact(unsigned Rank, const DeviceMesh &M, const Shape &S) {
  eachPair(Rank, M, [&](const Layout &From, const Layout &To) {
    for (const Plan &P : {planRedistribution(From, To, S, M),
                          planRedistribution(From, To, S, M, BytesAlone),
                          planGreedily(From, To, S, M)})
      EXPECT_EQ(simulate(P, From, To, S, M), "")
          << explain(P, From, S, M, 1) << print(To, S, M);
  });
}

TEST(Plan, EveryPairIsExact) {
  expectExact(1, mesh({{"a", 2}, {"b", 2}, {"c", 2}}), {8});
  expectExact(2, mesh({{"a", 2}, {"b", 4}}), {8, 8});
}

/// Rank three has many pairs; a sanitized build tries some.
#ifndef SPMD_ONE_PAIR_IN
#define SPMD_ONE_PAIR_IN 1
#endif

TEST(Plan, EveryPairOfRankThreeIsExact) {
  const Shape S = {4, 3, 2};
  for (const DeviceMesh &M :
       {mesh({{"a", 2}, {"b", 2}, {"c", 2}}), mesh({{"a", 2}, {"b", 4}})}) {
    unsigned Pair = 0;
    eachPair(3, M, [&](const Layout &From, const Layout &To) {
      if (++Pair % SPMD_ONE_PAIR_IN)
        return;
      const Plan P = planRedistribution(From, To, S, M);
      EXPECT_EQ(simulate(P, From, To, S, M), "")
          << explain(P, From, S, M, 1) << print(To, S, M);
    });
  }
}

TEST(Plan, UnevenShardsAreExact) {
  expectExact(1, mesh({{"a", 2}, {"b", 2}, {"c", 2}}), {5});
  expectExact(2, mesh({{"a", 2}, {"b", 3}}), {5, 4});
}

TEST(Plan, UnevenShardsNestOnTheLastAxis) {
  const DeviceMesh M = mesh({{"dp", 2}, {"tp", 2}});
  // 2, 1, 1, 1 of 3 and 2.
  EXPECT_EQ(explained("f32[5@(dp,tp)]", "f32[5@dp]", M),
            "[5@(dp,tp)]\n"
            "  all_gather over tp, 8 bytes per rank\n"
            "[5@dp]\n"
            "1 collective, 8 bytes per rank (no plan needs less than 8), peak "
            "12 bytes\n");
  EXPECT_EQ(explained("f32[5@dp]", "f32[5@(dp,tp)]", M),
            "[5@dp]\n"
            "  slice\n"
            "[5@(dp,tp)]\n"
            "0 collectives, 0 bytes per rank, peak 12 bytes\n");
}

void expectWithinBounds(const DeviceMesh &M, const Shape &S) {
  eachPair(2, M, [&](const Layout &From, const Layout &To) {
    const Plan P = planRedistribution(From, To, S, M, BytesAlone);
    const Plan Baseline = planGreedily(From, To, S, M);
    EXPECT_LE(P.Received, Baseline.Received)
        << explain(P, From, S, M, 1) << explain(Baseline, From, S, M, 1);
    EXPECT_GE(P.Received, lowerBound(From, To, S, M) - 1e-9)
        << explain(P, From, S, M, 1);
    if (From.Partial.empty() && To.Partial.empty()) {
      EXPECT_EQ(P.Received, lowerBound(From, To, S, M));
    }
  });
}

TEST(Plan, NeverMoreThanTheBaselineNorLessThanTheBound) {
  expectWithinBounds(mesh({{"a", 2}, {"b", 4}}), {8, 8});
  expectWithinBounds(mesh({{"a", 2}, {"b", 4}}), {5, 7});
}

std::string explainedForNames(const char *From, const char *To,
                              const DeviceMesh &M) {
  const auto A = cantFail(spmd::rules::parseTypeSpec(From)),
             B = cantFail(spmd::rules::parseTypeSpec(To));
  auto S = TensorSizes::of(A, M);
  if (!S)
    return llvm::toString(S.takeError());
  return explainRedistribution(cantFail(layoutOf(A, M)),
                               cantFail(layoutOf(B, M)), *S, M, 4, Link());
}

TEST(Plan, BytesInNames) {
  const DeviceMesh M = mesh({{"dp", 8}, {"tp", 2}});
  EXPECT_EQ(explainedForNames("f32[B@dp, H]", "f32[B, H@dp]", M),
            "[B@dp, H]\n"
            "  all_to_all over dp, 7*B*H/16 bytes per rank\n"
            "[B, H@dp]\n"
            "1 collective, 7*B*H/16 bytes per rank (no plan needs less than "
            "7*B*H/16), peak B*H/2 bytes\n"
            "if B, H divide evenly\n");
  EXPECT_EQ(explainedForNames("f32[3*H@dp, 10@tp]", "f32[3*H, 10@tp]", M),
            "[3*H@dp, 10@tp]\n"
            "  all_gather over dp, 105*H/2 bytes per rank\n"
            "[3*H, 10@tp]\n"
            "1 collective, 105*H/2 bytes per rank (no plan needs less than "
            "105*H/2), peak 60*H bytes\n"
            "if H divides evenly\n");
  EXPECT_EQ(explainedForNames("f32[H@dp, _]", "f32[H, _]", M),
            "the size of '_' is not known");
}

TEST(Plan, WithNamesBothEndsAreShownWhenTheyDiffer) {
  const DeviceMesh M = mesh({{"dp", 4}, {"tp", 2}});
  EXPECT_THAT(explainedForNames("f32[H]{dp: P}", "f32[H@tp]", M),
              HasSubstr("1 collective, 3*H bytes"));
  EXPECT_EQ(explainedForNames("f32[H]{dp: P}", "f32[H]", M),
            "small tensors, where latency decides:\n"
            "[H]{dp: P}\n"
            "  all_reduce over dp, 6*H bytes per rank\n"
            "[H]\n"
            "1 collective, 6*H bytes per rank (no plan needs less than 5*H), "
            "peak 4*H bytes\n"
            "large tensors, where bytes decide:\n"
            "[H]{dp: P}\n"
            "  slice\n"
            "[H@tp]{dp: P}\n"
            "  all_reduce over dp, 3*H bytes per rank\n"
            "[H@tp]\n"
            "  all_gather over tp, 2*H bytes per rank\n"
            "[H]\n"
            "2 collectives, 5*H bytes per rank (no plan needs less than 5*H), "
            "peak 4*H bytes\n"
            "if H divides evenly\n");
}

TEST(Plan, BytesInNamesAreThoseOfEverySize) {
  const DeviceMesh M = mesh({{"a", 2}, {"b", 4}});
  const auto T = cantFail(spmd::rules::parseTypeSpec("f32[B, H]"));
  const TensorSizes Names = cantFail(TensorSizes::of(T, M));
  eachPair(2, M, [&](const Layout &From, const Layout &To) {
    const Plan P = planRedistribution(From, To, Names.sample(), M, BytesAlone);
    const Plan Q = planRedistribution(From, To, {16, 24}, M, BytesAlone);
    const double Scale = 16 * 24. / (Names.sample()[0] * Names.sample()[1]);
    EXPECT_NEAR(P.Received * Scale, Q.Received, 1e-9);
    EXPECT_NEAR(static_cast<double>(P.Peak) * Scale,
                static_cast<double>(Q.Peak), 1e-9);
  });
}

/// A node of four fast ranks, and a slow link between two of them.
DeviceMesh twoNodes() {
  DeviceMesh M = mesh({{"node", 2}, {"gpu", 4}});
  M.All[0].Own = Link{1e-5, 4 / 10e9};
  return M;
}

TEST(Plan, SlowLinksAreCrossedOnce) {
  // Every rank of a node wants the same half: each gets a part of it from the
  // other node, and the node gathers.
  const Shape S = {4096, 4096};
  const auto Spec = [&](Axes First) {
    Layout L;
    L.Dims = {First, {}};
    return L;
  };
  EXPECT_EQ(explain(planRedistribution(Spec({0}), Spec({}), S, twoNodes()),
                    Spec({0}), S, twoNodes(), 4),
            "[4096@node, 4096]\n"
            "  slice\n"
            "[4096@node, 4096@gpu]\n"
            "  all_gather over node, 8388608 bytes per rank\n"
            "[4096, 4096@gpu]\n"
            "  all_gather over gpu, 50331648 bytes per rank\n"
            "[4096, 4096]\n"
            "2 collectives, 58720256 bytes per rank (no plan needs less than "
            "33554432), peak 67108864 bytes, 1362.2 us\n");
  // Links alike: one collective.
  EXPECT_EQ(planRedistribution(Spec({0}), Spec({}), S,
                               mesh({{"node", 2}, {"gpu", 4}}))
                .Collectives,
            1u);
  // A small tensor: latency decides.
  EXPECT_EQ(
      planRedistribution(Spec({0}), Spec({}), {4, 4}, twoNodes()).Collectives,
      1u);
}

TEST(Plan, PlansOnSeveralLinksAreExactAndNoSlower) {
  DeviceMesh M = mesh({{"a", 2}, {"b", 2}, {"c", 2}});
  M.All[0].Own = Link{2, 8};
  M.All[2].Own = Link{0.5, 0.25};
  const Link Everywhere = {1, 1};
  const Shape S = {8, 6};
  eachPair(2, M, [&](const Layout &From, const Layout &To) {
    const Plan P = planRedistribution(From, To, S, M, Everywhere);
    const std::string What = explain(P, From, S, M, 1);
    EXPECT_EQ(simulate(P, From, To, S, M), "") << What;
    const Plan Baseline = planGreedily(From, To, S, M, Everywhere);
    const std::int64_t Ends =
        std::max(largestBlock(From, S, M), largestBlock(To, S, M));
    EXPECT_LE(P.Peak, Ends) << What;
    if (Baseline.Peak <= Ends)
      EXPECT_LE(P.Seconds, Baseline.Seconds + 1e-9)
          << What << explain(Baseline, From, S, M, 1);
  });
}

TEST(Plan, NeverSlowerThanTheBaselineNorLargerThanItsEnds) {
  const DeviceMesh M = mesh({{"a", 2}, {"b", 4}});
  const Shape S = {8, 8};
  // Latency alone: never more collectives.
  for (const Link &Cost : {Link{1, 0}, Link{1, 0.1}})
    eachPair(2, M, [&](const Layout &From, const Layout &To) {
      const Plan P = planRedistribution(From, To, S, M, Cost);
      const Plan Baseline = planGreedily(From, To, S, M, Cost);
      EXPECT_LE(P.Seconds, Baseline.Seconds + 1e-9)
          << explain(P, From, S, M, 1) << explain(Baseline, From, S, M, 1);
      EXPECT_LE(P.Peak,
                std::max(largestBlock(From, S, M), largestBlock(To, S, M)))
          << explain(P, From, S, M, 1);
    });
}

TEST(Plan, NeverWorseThanPublishedPlans) {
  for (const PublishedPlan &Theirs : publishedPlans()) {
    const DeviceMesh M =
        cantFail(meshOf(cantFail(spmd::rules::parseMesh(Theirs.Mesh))));
    const auto A = cantFail(spmd::rules::parseTypeSpec(Theirs.From)),
               B = cantFail(spmd::rules::parseTypeSpec(Theirs.To));
    const Layout From = cantFail(layoutOf(A, M)), To = cantFail(layoutOf(B, M));
    const Shape S = cantFail(shapeOf(A));
    const Plan P = planRedistribution(From, To, S, M);
    const std::string What = explain(P, From, S, M, 1);
    EXPECT_EQ(simulate(P, From, To, S, M), "") << What;
    EXPECT_LE(P.Received, static_cast<double>(Theirs.Received)) << What;
    EXPECT_LE(P.Collectives, Theirs.Collectives) << What;
    EXPECT_LE(P.Peak, Theirs.Peak) << What;
    // What it publishes is possible.
    EXPECT_GE(static_cast<double>(Theirs.Received), lowerBound(From, To, S, M));
  }
}

TEST(Plan, AWrongPlanIsFound) {
  const DeviceMesh M = mesh({{"a", 2}});
  Layout Sharded, Whole;
  Sharded.Dims = {{0}};
  Whole.Dims.resize(1);
  Plan P = planRedistribution(Sharded, Whole, {4}, M);
  EXPECT_EQ(simulate(P, Sharded, Whole, {4}, M), "");
  P.Steps[0].Over.clear();
  EXPECT_EQ(simulate(P, Sharded, Whole, {4}, M),
            "all_gather: rank 0 finds no one with an element that it needs");
  P.Steps.clear();
  EXPECT_EQ(simulate(P, Sharded, Whole, {4}, M), "ends at [4@a]");
}

} // namespace
