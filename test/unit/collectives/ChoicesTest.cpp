//===- ChoicesTest.cpp - What unknown values may be -----------------------===//

#include "Choices.h"

#include <gtest/gtest.h>

namespace spmd::collectives {
namespace {

TEST(Choices, ImpliesWhatFollows) {
  Symbols Known;
  Choices C(Known);
  const unsigned S = Known.get("s", Trust::Input).Id;
  EXPECT_TRUE(C.answer({S, Relation::Kind::Less, 3}, 0, true));
  EXPECT_EQ(C.implied({S, Relation::Kind::Less, 5}), true);
  EXPECT_EQ(C.implied({S, Relation::Kind::Equal, 3}), false);
  EXPECT_EQ(C.implied({S, Relation::Kind::Less, 2}), std::nullopt);
  EXPECT_EQ(C.made().size(), 1u);
}

TEST(Choices, ExcludedEndsNarrow) {
  Symbols Known;
  Choices C(Known);
  const unsigned S = Known.get("s", Trust::Input).Id;
  C.assume({S, Relation::Kind::Less, 0}, false);
  C.assume({S, Relation::Kind::Less, 2}, true);
  C.assume({S, Relation::Kind::Equal, 0}, false);
  EXPECT_EQ(C.implied({S, Relation::Kind::Equal, 1}), true);
  EXPECT_TRUE(C.isPossible());
  C.assume({S, Relation::Kind::Equal, 1}, false);
  EXPECT_FALSE(C.isPossible());
}

/// `flag = n < 3; if (flag)` asks about n.
TEST(Choices, ARelationIsAValue) {
  Symbols Known;
  Choices C(Known);
  const unsigned N = Known.get("n", Trust::Input).Id;
  const unsigned Flag = Known.relation({N, Relation::Kind::Less, 3}).Id;
  C.assume({N, Relation::Kind::Equal, 1}, true);
  EXPECT_EQ(C.implied({Flag, Relation::Kind::Equal, 0}), false);
  EXPECT_EQ(C.implied({Flag, Relation::Kind::Equal, 1}), true);
  EXPECT_EQ(C.implied({Flag, Relation::Kind::Equal, 0, true}), true);
}

TEST(Choices, OthersFollowAfterTheFirst) {
  Symbols Known;
  Choices C(Known);
  const unsigned S = Known.get("s", Trust::Input).Id;
  C.restart({false});
  EXPECT_FALSE(C.answer({S, Relation::Kind::Equal, 0}, 0, true));
  EXPECT_TRUE(C.answer({S, Relation::Kind::Equal, 1}, 0, true));
}

TEST(Choices, WhatMayFollowFromWhatOthersKnowIsNotFree) {
  Symbols Known;
  Choices C(Known);
  const unsigned S = Known.get("s", Trust::Unknown).Id;
  const unsigned T = Known.get("t", Trust::Unknown).Id;
  C.answer({S, Relation::Kind::Equal, 0}, 0, true);
  EXPECT_TRUE(C.isFree(C.made()[0], 2)); // the other knows nothing
  C.answer({T, Relation::Kind::Equal, 0}, 1, true);
  EXPECT_FALSE(C.isFree(C.made()[0], 2));
  C.answer({S, Relation::Kind::Equal, 0}, 1, true);
  EXPECT_TRUE(C.isFree(C.made()[0], 2)); // both ask for it
}

} // namespace
} // namespace spmd::collectives
