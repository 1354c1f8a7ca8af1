//===- MutationTest.cpp - Right programs with one edit in them ------------===//

#include "spmd/oracle/Mutation.h"
#include "spmd/ir/IRText.h"

#include "gmock/gmock.h"

using namespace spmd::rules;
using namespace spmd::oracle;
using testing::HasSubstr;

namespace {

Module parse(llvm::StringRef Text) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (M)
    return std::move(*M);
  ADD_FAILURE() << llvm::toString(M.takeError());
  return {};
}

/// A row-parallel product whose sum is completed before the activation.
constexpr const char *Linear = R"ir(
func @f(%x: "tp: V", %w: "tp: V", %tp axis "tp") -> "tp: R" {
b0:
  %3 = op matmul(self=%x, other=%w)
  %4 = out_partial %3 on %tp
  %5 = all_reduce %4 on %tp from P to R
  %6 = op relu(self=%5)
  return %6
  ->
})ir";

MutantVerdict verdictOn(const Module &M, MutationKind Kind, unsigned Fact,
                        std::string &Why) {
  for (const Mutation &By : mutationsOf(M))
    if (By.Kind == Kind &&
        (Kind == MutationKind::Annotation || By.Fact == Fact))
      if (const std::optional<Module> Mutant = mutate(M, By))
        return judge(M, *Mutant, By, Why);
  ADD_FAILURE() << "no such mutant";
  return MutantVerdict::NotRun;
}

TEST(Mutation, TheOracleSaysWhatIsWrong) {
  const Module M = parse(Linear);
  std::string Why;
  EXPECT_EQ(verdictOn(M, MutationKind::Drop, 2, Why), MutantVerdict::Wrong);
  EXPECT_THAT(Why, HasSubstr("the result"));
  EXPECT_EQ(verdictOn(M, MutationKind::Duplicate, 2, Why),
            MutantVerdict::Wrong);
  EXPECT_EQ(verdictOn(M, MutationKind::NonlinearFirst, 2, Why),
            MutantVerdict::Wrong);
  // Forward is the same; the gradient is not.
  EXPECT_EQ(verdictOn(M, MutationKind::SwapReplicas, 2, Why),
            MutantVerdict::Wrong);
  EXPECT_THAT(Why, HasSubstr("the gradient of"));
  EXPECT_EQ(verdictOn(M, MutationKind::Annotation, 0, Why),
            MutantVerdict::Wrong);
  // What is no sum is said to be one: the same numbers, but not what they mean.
  EXPECT_EQ(verdictOn(M, MutationKind::Drop, 1, Why), MutantVerdict::Wrong);
  EXPECT_EQ(Why, "all_reduce(P -> R) is given another type");
}

TEST(Mutation, TheOracleSaysWhatIsTheSame) {
  std::string Why;
  // What is pending stays pending.
  EXPECT_EQ(verdictOn(parse(Linear), MutationKind::Duplicate, 1, Why),
            MutantVerdict::Equivalent);
  // Between R and I one word is as good as the other.
  EXPECT_EQ(verdictOn(parse(R"ir(
func @f(%x: "tp: I", %tp axis "tp") -> "tp: R" {
b0:
  %2 = reinterpret %x on %tp from I to R
  return %2
  ->
})ir"),
                      MutationKind::SwapConversion, 0, Why),
            MutantVerdict::Equivalent);
}

TEST(Mutation, WhatNothingShowsIsNotJudged) {
  std::string Why;
  EXPECT_EQ(verdictOn(parse(R"ir(
func @f(%x: "tp: P", %y: "tp: R", %tp axis "tp") -> "tp: R" {
b0:
  %3 = all_reduce %x on %tp from P to R
  return %y
  ->
})ir"),
                      MutationKind::Drop, 0, Why),
            MutantVerdict::NotRun);
}

TEST(Mutation, BuffersAreWatchedToo) {
  const Module M = parse(R"ir(
func @reduce(%g: "dp: P -> dp: R", %dp axis "dp") {
b0:
  all_reduce %g on %dp into %g
  ->
}
func @step(%g: "dp: P", %dp axis "dp") -> "dp: R" {
b0:
  call @reduce(%g, %dp)
  %2 = op square(self=%g)
  return %2
  ->
})ir");
  std::string Why;
  EXPECT_EQ(verdictOn(M, MutationKind::Drop, 0, Why), MutantVerdict::Wrong);
  EXPECT_EQ(verdictOn(M, MutationKind::Average, 0, Why), MutantVerdict::Wrong);
}

} // namespace
