//===- IRWalkTest.cpp - What facts mention, whatever their kind -----------===//

#include "spmd/ir/IRText.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"

using namespace spmd::rules;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// A function with every kind of fact; slots are named by their numbers.
const char *const Everything = R"ir(
func @f(%0, %1, %2, %3 axis "tp") {
b0:
  %4 = constant @1:1
  %5 = rank_of %3 @1:2
  %6 = bind %0 !2:1 @1:3
  %6 = join %1 !2:2 @1:4
  %7 = view %0 !2:3 at %5 !2:4 @1:5
  %8 = op add(%0 !2:5, %1 !2:6) [size={%2[0], 3*%7[1]/%6[0], ?}] into part %0 @1:6
  %9 = all_reduce %8 !2:7 on %3 from P !2:8 to R !2:9 into %1 !3:1 @1:7
  require variable %9 !3:2 "tp: R" of "w" !3:3 @1:8
  %10 = call @g(%0 !3:4, _) on %1 !3:5 @1:9
  %11 = gradient %0 !3:6 @1:10
  backward %9 !3:7 @1:11
  havoc %2 rebinds @1:12
  havoc %2 @1:13
  return %10 !3:8 @1:14
  ->
})ir";

class IRWalk : public testing::Test {
protected:
  IRWalk()
      : M(llvm::cantFail(parseModule(Everything, OpCatalogue::builtin()))) {}

  const Function &function() const { return *M.Functions.front(); }
  const Fact &fact(std::size_t I) const {
    return function().Blocks.front().Facts[I];
  }
  static std::vector<unsigned> numbers(const SlotList &Slots) {
    std::vector<unsigned> Out;
    for (SlotId S : Slots)
      Out.push_back(index(S));
    return Out;
  }
  std::vector<unsigned> defined(std::size_t I) const {
    return numbers(defs(fact(I)));
  }
  std::vector<unsigned> written(std::size_t I) const {
    return numbers(writes(fact(I)));
  }
  std::vector<unsigned> read(std::size_t I) const {
    return numbers(uses(fact(I)));
  }

  Module M;
};

TEST_F(IRWalk, AFactDefinesWhatItNamesAnew) {
  EXPECT_THAT(defined(0), ElementsAre(4));
  EXPECT_THAT(defined(3), ElementsAre(6));
  EXPECT_THAT(defined(5), ElementsAre(8));
  EXPECT_THAT(defined(7), IsEmpty());
  EXPECT_THAT(defined(11), ElementsAre(2)) << "unknown code rebound it";
  EXPECT_THAT(defined(12), IsEmpty()) << "unknown code wrote to it";
}

TEST_F(IRWalk, AFactReadsItsOperandsAndTheirSizes) {
  EXPECT_THAT(read(0), IsEmpty());
  EXPECT_THAT(read(1), ElementsAre(3));
  EXPECT_THAT(read(2), ElementsAre(0));
  EXPECT_THAT(read(3), ElementsAre(6, 1)) << "a list keeps what it held";
  EXPECT_THAT(read(4), ElementsAre(0, 5));
  EXPECT_THAT(read(5), ElementsAre(0, 1, 2, 7, 6)) << "%0 as it was, too";
  EXPECT_THAT(read(6), ElementsAre(8, 3));
  EXPECT_THAT(read(8), ElementsAre(0, 1));
  EXPECT_THAT(read(13), ElementsAre(10));
}

TEST_F(IRWalk, AFactWritesToStorage) {
  EXPECT_THAT(written(5), ElementsAre(0));
  EXPECT_THAT(written(6), ElementsAre(1));
  EXPECT_THAT(written(11), ElementsAre(2));
  EXPECT_THAT(written(12), ElementsAre(2));
  EXPECT_THAT(written(13), IsEmpty());
}

/// A walk that misses a slot leaves it to the old function when a body is
/// copied: every mention in the text is one of the walk's, in the same order.
TEST_F(IRWalk, WhatIsMentionedIsSeen) {
  std::vector<std::string> Walked, Written;
  for (const Fact &X : factsOf(function()))
    forEachSlot(X, [&](SlotId S, SlotAccess) {
      Walked.push_back('%' + std::to_string(index(S)));
    });
  llvm::StringRef Rest = llvm::StringRef(Everything).split("b0:").second;
  while ((Rest = Rest.drop_until([](char C) { return C == '%'; })) != "") {
    Written.push_back('%' +
                      Rest.drop_front()
                          .take_while([](char C) { return llvm::isDigit(C); })
                          .str());
    Rest = Rest.drop_front();
  }
  EXPECT_EQ(Walked, Written);

  unsigned Places = 0;
  for (const Fact &X : factsOf(function()))
    forEachPlace(X, [&](PlaceId) { ++Places; });
  EXPECT_EQ(Places, llvm::StringRef(Everything).count('!') +
                        llvm::StringRef(Everything).count('@') - 2)
      << "all but the '@' of two symbols";
}

TEST_F(IRWalk, FactsOfOneKind) {
  std::vector<std::string> Lines;
  for (const HavocFact &H : factsOf<HavocFact>(function()))
    Lines.push_back(std::to_string(function().Places[index(H.At)].Column));
  EXPECT_THAT(Lines, ElementsAre("12", "13"));
  EXPECT_EQ(llvm::range_size(factsOf(function())), 14);
  const Function Declaration;
  EXPECT_TRUE(factsOf(Declaration).empty());
}

} // namespace
