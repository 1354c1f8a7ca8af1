//===- SearchTest.cpp - The search against trying everything --------------===//

#include "spmd/sharding/Search.h"

#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>
#include <set>

using namespace spmd;
using namespace spmd::sharding;

namespace {

/// Three layers of an MLP, one of them skipped over.
constexpr const char *Chain = R"(
func @f(%x: "f32[B, D]", %w: "f32[D, E]", %v: "f32[E, D]") -> "f32[B, D]" global {
b0:
  %3 = op matmul(self=%x, other=%w)
  %4 = op gelu(self=%3) [approximate="none"]
  %5 = op matmul(self=%4, other=%v)
  %6 = op add(self=%x, other=%5)
  return %6
  ->
}
)";
/// One value that three ops use, two of them by the same weight.
constexpr const char *Fan = R"(
func @f(%x: "f32[B, D]", %w: "f32[D, E]") -> "f32[B, E]" global {
b0:
  %2 = op matmul(self=%x, other=%w)
  %3 = op gelu(self=%2) [approximate="none"]
  %4 = op mul(self=%2, other=%3)
  %5 = op softmax(self=%2) [dim=0]
  %6 = op add(self=%4, other=%5)
  return %6
  ->
}
)";
/// A product of a value with itself.
constexpr const char *Twice = R"(
func @f(%x: "f32[B, D]", %w: "f32[D, D]") -> "f32[B, B]" global {
b0:
  %2 = op matmul(self=%x, other=%w)
  %3 = op transpose(self=%2) [dim0=0, dim1=1]
  %4 = op matmul(self=%2, other=%3)
  return %4
  ->
}
)";

double leastByTrying(const Problem &P) {
  std::vector<unsigned> C(P.choices().size(), 0);
  double Best = P.timeOf(C);
  for (;;) {
    std::size_t V = 0;
    while (V != C.size() && ++C[V] == P.choices()[V].Options.size())
      C[V++] = 0;
    if (V == C.size())
      return Best;
    Best = std::min(Best, P.timeOf(C));
  }
}

struct Case {
  rules::Module M;
  CostModel Costs;
  GraphOptions Options;
};

Case draw(const char *Text, std::mt19937 &Random, const char *Mesh) {
  const auto Below = [&](int N) {
    return std::uniform_int_distribution<int>(0, N - 1)(Random);
  };
  Case Out;
  Out.M =
      llvm::cantFail(rules::parseModule(Text, rules::OpCatalogue::builtin()));
  Out.Costs.Mesh =
      llvm::cantFail(planner::meshOf(llvm::cantFail(rules::parseMesh(Mesh))));
  // So that any part of the model may be what decides.
  for (planner::DeviceMesh::Axis &A : Out.Costs.Mesh.All)
    A.Own = {Below(2) * 1e-6, std::pow(10, -Below(4)) * 1e-9};
  Out.Costs.FlopsPerSecond = std::pow(10, 9 + Below(5));
  Out.Costs.BytesPerSecond = std::pow(10, 8 + Below(5));
  Out.Costs.Accumulate = static_cast<unsigned>(1 + Below(8));
  for (const char *Name : {"B", "D", "E"})
    Out.Options.Sizes[Name] = 2 << Below(8);
  return Out;
}

/// With \p Most options of each variable; 0: all.
void compare(const char *Text, const char *Mesh, int Rounds, unsigned Most) {
  int Compared = 0;
  std::mt19937 Random(11);
  for (int Round = 0; Round != Rounds; ++Round) {
    const Case X = draw(Text, Random, Mesh);
    const Graph G =
        llvm::cantFail(buildGraph(*X.M.Functions[0], X.Costs.Mesh, X.Options));
    Prices Price(X.Costs);
    Problem All =
        llvm::cantFail(Problem::make(G, X.Costs, Price, Annotations::Keep));
    // Few enough to try, and others in each round.
    std::vector<std::set<unsigned>> Kept(All.choices().size());
    for (unsigned C = 0; C != Kept.size(); ++C)
      for (unsigned I = 0; I != Most; ++I)
        Kept[C].insert(std::uniform_int_distribution<unsigned>(
            0, static_cast<unsigned>(All.choices()[C].Options.size() - 1))(
            Random));
    if (Most)
      All.keepOnly([&](unsigned C, unsigned O) { return Kept[C].contains(O); });
    const double Best = leastByTrying(All);
    if (Best >= Forbidden)
      continue; // what is kept does not go together
    ++Compared;
    Problem Fewer = All;
    Fewer.removeDominated();
    const Solution Found = search(Fewer, X.Costs);
    EXPECT_TRUE(Found.IsExact);
    EXPECT_EQ(Found.Seconds, Fewer.timeOf(Found.Choice));
    EXPECT_LE(Found.Seconds, Best * (1 + 1e-9)) << Text << "round " << Round;
    // The beam finds something that can be, and no miracle.
    const Solution Beam = search(All, X.Costs, {2, 400});
    EXPECT_GE(Beam.Seconds, Best * (1 - 1e-9));
  }
  EXPECT_GE(Compared, 4);
}

TEST(Search, FindsTheBestOfAChain) {
  compare(Chain, "a=2", 5, 0);
  compare(Chain, "a=2, b=3", 40, 4);
}
TEST(Search, FindsTheBestWhereOneValueIsUsedThreeTimes) {
  compare(Fan, "a=2", 5, 0);
  compare(Fan, "a=2, b=2", 40, 4);
}
TEST(Search, FindsTheBestOfAProductWithItself) {
  compare(Twice, "a=2", 20, 0);
  compare(Twice, "a=2, b=2", 40, 5);
}

/// What is found with more and more budget, twice.
void cutOff(const char *Text, const char *Mesh, const SearchLimits &Limits) {
  std::mt19937 Random(5);
  bool AnyCut = false;
  for (int Round = 0; Round != 3; ++Round) {
    const Case X = draw(Text, Random, Mesh);
    const Graph G =
        llvm::cantFail(buildGraph(*X.M.Functions[0], X.Costs.Mesh, X.Options));
    std::optional<double> Without;
    for (const double Steps : {0.0, 1e4, 1e6, 1e7, 1e12}) {
      std::vector<unsigned> Chosen;
      for (const bool Again : {false, true}) {
        Prices Price(X.Costs);
        const Problem P =
            llvm::cantFail(Problem::make(G, X.Costs, Price, Annotations::Keep));
        Price.Left = Budget(Steps);
        const Solution Found = search(P, X.Costs, Limits);
        EXPECT_TRUE(!Again || Found.Choice == Chosen);
        Chosen = Found.Choice;
        EXPECT_LT(Found.Seconds, Forbidden);
        EXPECT_EQ(Found.Seconds, P.timeOf(Found.Choice));
        AnyCut |= Price.Left.wasCut();
        EXPECT_TRUE(Steps != 0 || Price.Left.wasCut());
        EXPECT_TRUE(Steps != 1e12 || !Price.Left.wasCut());
        // No worse than without a step that improves it.
        if (!Without)
          Without = Found.Seconds;
        EXPECT_LE(Found.Seconds, *Without);
        Price.Left = {};
        if (const auto Batch = bestDataParallel(P, X.Costs, 0, Limits))
          EXPECT_LE(Found.Seconds, P.timeOf(*Batch) * (1 + 1e-9));
      }
    }
  }
  EXPECT_TRUE(AnyCut);
}

TEST(Search, FindsSomethingLegalWithAnyBudget) {
  for (const char *Text : {Chain, Fan, Twice}) {
    cutOff(Text, "a=2, b=2", {});
    cutOff(Text, "a=2, b=2", {2});          // a beam
    cutOff(Text, "a=2, b=2", {1 << 20, 1}); // by axes
    cutOff(Text, "a=2, b=2, c=2", {1 << 20, 100});
  }
}

} // namespace
