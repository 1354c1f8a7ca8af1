//===- NetworkTest.cpp - Elimination against trying everything ------------===//

#include "spmd/sharding/Network.h"

#include "gtest/gtest.h"

#include <random>

using namespace spmd::sharding;

namespace {

double leastByTrying(const Network &N) {
  std::vector<unsigned> C(N.Choices.size(), 0);
  double Best = N.cost(C);
  for (;;) {
    std::size_t V = 0;
    while (V != C.size() && ++C[V] == N.Choices[V])
      C[V++] = 0;
    if (V == C.size())
      return Best;
    Best = std::min(Best, N.cost(C));
  }
}

TEST(Network, EliminationFindsTheLeast) {
  std::mt19937 Random(7);
  const auto Below = [&](unsigned N) {
    return std::uniform_int_distribution<unsigned>(0, N - 1)(Random);
  };
  for (int Round = 0; Round != 200; ++Round) {
    Network N;
    for (unsigned V = 0, E = 1 + Below(7); V != E; ++V)
      N.Choices.push_back(1 + Below(4));
    for (unsigned T = 0, E = 1 + Below(9); T != E; ++T) {
      llvm::SmallVector<unsigned, 4> Scope;
      for (unsigned V = 0; V != N.Choices.size(); ++V)
        if (Below(3) == 0 && Scope.size() < 4)
          Scope.push_back(V);
      for (double &Cost : N.add(Scope).Costs)
        Cost = Below(100);
    }
    const Assignment Found = eliminate(N, orderOf(N));
    EXPECT_EQ(Found.Cost, N.cost(Found.Choice));
    EXPECT_EQ(Found.Cost, leastByTrying(N));
  }
}

TEST(Network, SaysWhatItWouldTakeWithoutTables) {
  Network N;
  N.HasCosts = false;
  N.Choices = {10, 10, 10};
  EXPECT_TRUE(N.add({0, 1, 2}).Costs.empty());
  EXPECT_EQ(orderOf(N).Filled, 1000);
  EXPECT_EQ(orderOf(N).Largest, 100);
}

} // namespace
