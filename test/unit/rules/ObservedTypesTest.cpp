//===- ObservedTypesTest.cpp - What inference tells of types --------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;
using Role = TypedSlot::Role;

namespace {

/// "x: V" for each that is told in that role.
std::string observed(llvm::StringRef Text, Role As) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return "parse error: " + llvm::toString(M.takeError());
  std::string Out;
  inferModule(*M, {}, [&](const TypedSlot &T) {
    if (T.As != As || T.Types.empty())
      return;
    Out += T.Slot == SlotId::None ? "result" : T.In->slot(T.Slot).Name;
    Out += ": " + printAxisType(T.Types[0].second) + "; ";
  });
  return Out;
}

constexpr llvm::StringLiteral Sum = R"ir(
func @f(%x, %w: "tp: S(0)", %tp axis "tp") {
b0:
  %3 = op mul(%w, %w)
  %4 = all_reduce %x on %tp from P to R
  %5 = op add(%4, %3)
  return %5
  ->
})ir";

TEST(ObservedTypes, AFactsOperandsAreToldBeforeItRuns) {
  EXPECT_EQ(observed(R"ir(
func @f(%w: "tp: P", %x: "tp: V", %tp axis "tp") {
b0:
  all_reduce %w on %tp into %w
  %3 = op mul(%w, %x)
  ->
})ir",
                     Role::Taken),
            "w: P; w: P; w: R|I; x: V; ");
}

TEST(ObservedTypes, WhatAllUsesAskOfAParameter) {
  EXPECT_EQ(observed(Sum, Role::Parameter), "x: P; ");
}

TEST(ObservedTypes, WhatOneWayAsksIsNotAskedOfAParameter) {
  EXPECT_EQ(observed(R"ir(
func @f(%x, %c, %tp axis "tp") {
b0:
  -> b1 b2 if %c
b1:
  %3 = all_reduce %x on %tp from P to R
  -> b2
b2:
  ->
})ir",
                     Role::Parameter),
            "x: ?; c: ?; ");
}

TEST(ObservedTypes, AParameterThatIsWrittenIsNotTold) {
  EXPECT_EQ(observed(R"ir(
func @f(%x, %w: "tp: V", %tp axis "tp") {
b0:
  %3 = op mul(%w, %w) into %x
  ->
})ir",
                     Role::Parameter),
            "");
}

TEST(ObservedTypes, WhatIsReturned) {
  EXPECT_EQ(observed(Sum, Role::Returned), "result: V; ");
}

} // namespace
