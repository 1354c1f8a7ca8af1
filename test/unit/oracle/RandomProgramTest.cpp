//===- RandomProgramTest.cpp - Accepted programs are right ----------------===//

#include "spmd/oracle/RandomProgram.h"
#include "spmd/inference/FindingText.h"
#include "spmd/ir/IRText.h"

#include "gmock/gmock.h"

using namespace spmd::rules;
using namespace spmd::oracle;
using testing::HasSubstr;

namespace {

/// A function of %x on one axis of two ranks, written down instead of drawn.
TypedProgram program(llvm::StringRef Body, LocalType Parameter,
                     LocalType Result) {
  const std::string Text = std::string("func @f(%x: \"tp: ") +
                           letter(Parameter) +
                           "\", %tp axis \"tp\") -> \"tp: " + letter(Result) +
                           "\" {\nb0:\n" + Body.str() + "  ->\n}";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  TypedProgram P;
  if (!M) {
    ADD_FAILURE() << llvm::toString(M.takeError());
    return P;
  }
  P.M = std::move(*M);
  P.On.Axes = {{"tp", 2}};
  P.Result = {Result};
  return P;
}

TEST(CheckProgram, WhatIsWrongIsFound) {
  using T = LocalType;
  const char *const Square = "  %2 = op square(self=%x)\n  return %2\n";
  EXPECT_EQ(checkProgram(program(Square, T::R, T::R), 1), "");
  EXPECT_THAT(checkProgram(program(Square, T::P, T::P), 1),
              HasSubstr("taken for tp: P: the result is"));
  const char *const AllReduce =
      "  %2 = all_reduce %x on %tp from P to I\n  return %2\n";
  EXPECT_EQ(checkProgram(program(AllReduce, T::P, T::I), 1), "");
  EXPECT_THAT(checkProgram(program(AllReduce, T::P, T::R), 1),
              HasSubstr("the gradient of x"));
  // The forward pass is right; the gradient is not.
  EXPECT_THAT(
      checkProgram(program("  %2 = op neg(self=%x)\n  return %2\n", T::I, T::R),
                   1),
      HasSubstr("the gradient of x"));
  // One value is not one per rank.
  EXPECT_THAT(checkProgram(program(Square, T::R, T::V), 1),
              HasSubstr("no value of its type"));
}

/// What is a sum to come on its own is one term of the sum it is added to.
TEST(CheckProgram, ASumAddedToTermsCountsOnce) {
  using T = LocalType;
  const std::string Add = "  %2 = all_reduce %x on %tp from P to R\n"
                          "  %3 = convert %2 on %tp from R to V\n"
                          "  %4 = op sub(self=%x, other=%3, alpha=%3)\n";
  EXPECT_EQ(checkProgram(program(Add + "  %5 = out_partial %4 on %tp\n"
                                       "  return %5\n",
                                 T::P, T::P),
                         1),
            "");
  // By itself it is no value of any type.
  for (const T Result : {T::V, T::P, T::R})
    EXPECT_NE(checkProgram(program(Add + "  return %4\n", T::P, Result), 1), "")
        << letter(Result);
}

TEST(CheckProgram, BranchesAreFollowed) {
  const char *const Loop = "  %2 = op square(self=%x)\n"
                           "  -> b1\nb1:\n  -> b2 b3\nb2:\n"
                           "  %2 = op mul(self=%2, other=%x)\n  -> b1\nb3:\n"
                           "  return %2\n";
  TypedProgram P = program(Loop, LocalType::V, LocalType::V);
  P.Branches = true;
  EXPECT_EQ(checkProgram(P, 1), "");
  P = program(Loop, LocalType::P, LocalType::P);
  P.Branches = true;
  EXPECT_NE(checkProgram(P, 1), "");
}

TEST(RandomProgram, WhatIsAcceptedIsRight) {
  unsigned Branches = 0, TwoAxes = 0;
  for (unsigned Seed = 1; Seed != 3000; ++Seed) {
    std::mt19937 Random(Seed);
    const TypedProgram P = randomProgram(Random, {});
    Branches += P.Branches;
    TwoAxes += P.On.Axes.size() == 2;
    ASSERT_EQ(checkProgram(P, Seed), "") << "seed " << Seed << '\n' << P.str();
  }
  EXPECT_GT(Branches, 500u);
  EXPECT_GT(TwoAxes, 500u);
}

/// The types of what facts define, in their order, and what is wrong.
std::vector<std::string> inferred(const Module &M, bool Strict) {
  std::vector<std::string> Out;
  const InferenceResult R =
      inferModule(M, optionsFor(Strict), [&](const TypedSlot &T) {
        std::string Line;
        for (const auto &[Axis, Type] : T.Types)
          Line += Axis + ": " + printAxisType(Type) + ' ';
        Out.push_back(Line + T.Spec);
      });
  for (const Violation &V : R.Violations)
    Out.push_back(printFinding(V));
  return Out;
}

TEST(RandomProgram, MeansTheSameWhenItIsPrintedAndParsed) {
  unsigned Findings = 0;
  for (unsigned Seed = 1; Seed != 1000; ++Seed) {
    std::mt19937 Random(Seed);
    TypedProgram P = randomProgram(Random, {});
    // Accepted programs have no findings; one of other parameters may.
    if (Seed % 2)
      for (unsigned I = 0; I != P.function().NumParameters; ++I)
        if (const auto &Old = P.function().Slots[I].Declared) {
          TypeAnnotation New = *Old;
          for (AxisAtom &A : New.Entry.Axes)
            A.Value = {LocalType::P, std::nullopt};
          P.function().Slots[I].Declared =
              std::make_shared<TypeAnnotation>(New);
        }
    const std::string Text = printModule(P.M);
    llvm::Expected<Module> Again = parseModule(Text, OpCatalogue::builtin());
    ASSERT_TRUE(static_cast<bool>(Again))
        << llvm::toString(Again.takeError()) << '\n'
        << Text;
    ASSERT_EQ(printModule(*Again), Text) << "seed " << Seed;
    for (const bool Strict : {false, true})
      ASSERT_EQ(inferred(*Again, Strict), inferred(P.M, Strict))
          << "seed " << Seed << '\n'
          << Text;
    Findings += !inferModule(P.M, {}).Violations.empty();
  }
  EXPECT_GT(Findings, 100u);
}

/// What is left of a program is what makes it wrong.
TEST(Shrink, LeavesOutWhatDoesNotMatter) {
  TypedProgram P = program("  %2 = op neg(self=%x)\n"
                           "  %3 = op mul(self=%2, other=%2)\n"
                           "  %4 = op detach(self=%3)\n"
                           "  -> b1\nb1:\n  -> b2 b3\nb2:\n"
                           "  %5 = op relu(self=%4)\n  -> b3\nb3:\n"
                           "  %6 = op neg(self=%4)\n"
                           "  return %6\n",
                           LocalType::R, LocalType::R);
  P.On.Axes[0].Size = 3;
  shrink(P, [](const TypedProgram &Q) {
    return Q.str().find("op detach") != std::string::npos;
  });
  EXPECT_EQ(P.facts(), 3u); // and the result, and the return
  EXPECT_EQ(P.On.ranks(), 2);
  EXPECT_THAT(P.str(), HasSubstr("op detach(self=%x.0)"));
}

} // namespace
