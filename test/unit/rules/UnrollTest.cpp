//===- UnrollTest.cpp - Loops over a few things that are named ------------===//

#include "spmd/ir/Unroll.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// 0 -> 1, 1 -> 2 or 4, 2 -> 3, 3 -> 1: block 2 binds slot 0 to slot 1.
Function loop() {
  Function F;
  F.Slots.resize(4);
  F.Blocks.resize(5);
  const auto To = [&](unsigned From, std::initializer_list<unsigned> Next) {
    for (const unsigned N : Next)
      F.Blocks[From].Successors.push_back(BlockId(N));
  };
  To(0, {1}), To(1, {2, 4}), To(2, {3}), To(3, {1});
  F.Blocks[2].Facts.push_back(BindFact{SlotId(0), {SlotId(1)}});
  return F;
}
SlotId boundIn(const Function &F, unsigned Block) {
  return std::get<BindFact>(F.Blocks[Block].Facts.front()).Src.Slot;
}
unsigned next(const Function &F, unsigned Block) {
  EXPECT_EQ(F.Blocks[Block].Successors.size(), 1u);
  return index(F.Blocks[Block].Successors.front());
}

TEST(Unroll, EachElementHasAnIterationBehindTheOneBefore) {
  Function F = loop();
  ASSERT_TRUE(unroll(F, BlockId(1), SlotId(0),
                     {{SlotId(1)}, {SlotId(2)}, {SlotId(3)}}));
  ASSERT_EQ(F.Blocks.size(), 9u);
  EXPECT_EQ(next(F, 1), 2u);
  EXPECT_EQ(next(F, 2), 3u);
  EXPECT_EQ(next(F, 3), 5u);
  EXPECT_EQ(next(F, 5), 6u);
  EXPECT_EQ(next(F, 6), 7u);
  EXPECT_EQ(next(F, 7), 8u);
  EXPECT_EQ(next(F, 8), 4u);
  EXPECT_EQ(boundIn(F, 2), SlotId(1));
  EXPECT_EQ(boundIn(F, 5), SlotId(2));
  EXPECT_EQ(boundIn(F, 7), SlotId(3));
}
TEST(Unroll, WhatIsNoLoopStaysAsItIs) {
  Function F = loop();
  EXPECT_FALSE(unroll(F, BlockId(0), SlotId(0), {{SlotId(1)}}));
  EXPECT_FALSE(unroll(F, BlockId(1), SlotId(0), {}));
  EXPECT_EQ(F.Blocks.size(), 5u);
}
TEST(Unroll, ALoopThatWouldBeTooLongStaysAsItIs) {
  Function F = loop();
  F.Blocks[3].Facts.assign(3000, Fact(BindFact{SlotId(2), {SlotId(3)}}));
  EXPECT_FALSE(unroll(F, BlockId(1), SlotId(0), {{SlotId(1)}, {SlotId(2)}}));
  EXPECT_EQ(F.Blocks.size(), 5u);
}

} // namespace
