//===- CheckFlatteningTest.cpp - Two axes as one --------------------------===//

#include "spmd/oracle/CheckFlattening.h"

#include "gtest/gtest.h"

using namespace spmd::rules;
using namespace spmd::oracle;

namespace {

TEST(CheckFlattening, EveryRowIsTheSameOnTwoAxesAsOnOne) {
  for (const FlattenedCell &C : flattenedCells())
    EXPECT_EQ(checkFlattening(C), "");
}

TEST(CheckFlattening, TheOrderOfTheAxesMatters) {
  const Layout Shards = {LocalType::V, 0};
  const Ranks X = {{{1}, {1}}, {{1}, {2}}, {{1}, {3}}, {{1}, {4}}};
  const Ranks Swapped = {X[0], X[2], X[1], X[3]};
  EXPECT_EQ(meaningOnBoth(Shards, X, 2), denotation(Shards, X));
  EXPECT_FALSE(meaningOnBoth(Shards, Swapped, 2) == denotation(Shards, X));
}

TEST(CheckFlattening, ALayoutThatIsNoneOfTheTableIsFound) {
  // Rows in the order in which an exchange axis by axis would leave them.
  FlattenedCell C{
      {*findTransition(OperatorKind::AllGather, LocalType::V, LocalType::R),
       {LocalType::V, 0},
       {LocalType::R, std::nullopt},
       {4},
       4},
      2,
      2};
  EXPECT_EQ(checkFlattening(C), "");
  C.Flat.Dst = {LocalType::V, 0};
  EXPECT_NE(checkFlattening(C), "");
}

} // namespace
