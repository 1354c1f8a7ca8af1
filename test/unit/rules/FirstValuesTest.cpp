//===- FirstValuesTest.cpp - What buffers begin with -------------------===//

#include "ExitFindings.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// "3:1 w V" per contract that is not kept by a function with the facts
/// \p Facts; %x is V, the local %w is to be R.
std::vector<std::string> body(const std::string &Facts) {
  return exitFindings(
      R"IR(rule own.copy(self) = "linear(self)" named copy roles copies
func @f(%x: "dp: V", %dp axis "dp") {
  slot %w local outermost: "dp: R" !1:1
b0:
)IR" + Facts +
      "  ->\n}\n");
}

using Findings = std::vector<std::string>;
const Findings None;

const std::string Begin = "  %w = declared \"dp: R\" @1:1\n";
const std::string Store =
    "  require variable element in %w %x \"dp: R\" of \"w\" @2:1\n"
    "  %1 = op own.copy(self=%x) into %w @2:1\n";
const std::string Send = "  broadcast %w on %dp into %w @3:1\n";

TEST(FirstValues, EachRankMayStoreItsOwnIfOneIsSentRound) {
  EXPECT_EQ(body(Begin + Store + Send), None);
}

TEST(FirstValues, ThatNobodySendsThemIsFoundWhereTheyEnd) {
  EXPECT_EQ(body(Begin + Store), Findings{"1:1 w V"});
}

TEST(FirstValues, WhatIsStoredLaterMustBeAsDeclared) {
  EXPECT_EQ(body(Begin + Store + Send + R"(
  require variable element in %w %x "dp: R" of "w" @4:1
  %2 = op own.copy(self=%x) into %w @4:1
)"),
            Findings{"4:1 w V"});
}

TEST(FirstValues, WhatIsStoredLaterMayBeSentRound) {
  EXPECT_EQ(body(Begin + Store + Send + R"(
  require variable element in %w %x "dp: R" of "w" @4:1
  %2 = op own.copy(self=%x) into %w @4:1
  broadcast %w on %dp into %w @5:1
)"),
            None);
}

TEST(FirstValues, OfABufferThatIsNotNamedNothingIsKnown) {
  EXPECT_EQ(body(Begin + R"(
  require variable element %x "dp: R" of "w" @2:1
  %1 = op own.copy(self=%x) into %w @2:1
)" + Send),
            Findings{"2:1 w V"});
}

} // namespace
