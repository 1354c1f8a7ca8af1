//===- StrictInferenceTest.cpp - What holds on some paths only ------------===//
//
// The cases were found by random programs: accepted under strict inference, and
// wrong on ranks.
//
//===----------------------------------------------------------------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gmock/gmock.h"

using namespace spmd::rules;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// "add R|P" per finding, with "?" behind what only may be one.
std::vector<std::string> infer(llvm::StringRef Text, bool Strict) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  InferenceOptions Options;
  Options.Strict = Strict;
  std::vector<std::string> Out;
  for (const Violation &V : inferModule(*M, Options).Violations)
    Out.push_back(V.Op + " " + printAxisType(V.Operands.front().Type) +
                  (V.isPossible() ? "?" : ""));
  return Out;
}

/// `y` is `a` or `b`, then the body, which numbers its slots from %4.
std::string onTwoPaths(llvm::StringRef A, llvm::StringRef B,
                       llvm::StringRef Body) {
  return ("func @f(%a: \"tp: " + A + "\", %b: \"tp: " + B +
          "\", %tp axis \"tp\") {\n  slot %y local\nb0:\n  %y = bind %a\n"
          "  -> b1 b2\nb1:\n  %y = bind %b\n  -> b2\nb2:\n" +
          Body + "  ->\n}")
      .str();
}

TEST(StrictInference, ReplicateOnOnePathAndInvariantOnTheOther) {
  // R|I of a raw collective is a choice; R on one path and I on the other is
  // not.
  const std::string Mixed =
      onTwoPaths("R", "I", "  %4 = reinterpret %y on %tp from I to R\n");
  EXPECT_THAT(infer(Mixed, false), IsEmpty());
  EXPECT_THAT(infer(Mixed, true), ElementsAre("reinterpret R|I?"));
  EXPECT_THAT(infer("func @f(%x: \"tp: P\", %tp axis \"tp\") {\nb0:\n"
                    "  all_reduce %x on %tp into %x\n"
                    "  %2 = reinterpret %x on %tp from I to R\n  ->\n}",
                    true),
              IsEmpty());
}

TEST(StrictInference, WhatOneRankAddsMayBePending) {
  // A replica is in the sum once; of a sum, the other ranks' terms are lost.
  const std::string Added = R"IR(
rule own.equal(self, other) = "selector(self, other)" named equal roles compares_equal
rule plus(self, other) = "linear(self, other)" roles adds
func @f(%p: "tp: P", %r: "tp: R", %tp axis "tp") -> "" {
  slot %y local
b0:
  %4 = rank_of %tp
  %y = bind %p
  -> b1 b2
b1:
  %5 = op mul(%r, %p) into %r
  -> b2
b2:
  %6 = zero
  %7 = op own.equal(self=%4 scalar, other=%6 scalar)
  -> b3 b4 if %7
b3:
  %8 = op plus(self=%y, other=%r) into %y
  -> b4
b4:
  %9 = op neg(%y)
  return %9
  ->
}
)IR";
  EXPECT_THAT(infer(Added, false), IsEmpty());
  EXPECT_THAT(infer(Added, true), ElementsAre("plus R|P?", "neg V"));
}

TEST(StrictInference, AValueIsOneTypeAtATime) {
  // P times R is fine, but this is P times P or R times R.
  const std::string Square = onTwoPaths("R", "P", "  %4 = op mul(%y, %y)\n");
  EXPECT_THAT(infer(Square, false), IsEmpty());
  EXPECT_THAT(infer(Square, true), ElementsAre("mul R|P?"));
  EXPECT_THAT(infer(onTwoPaths("R", "P", "  %4 = op neg(%y)\n"), true),
              IsEmpty());
  // What was mixed stays so through ops.
  EXPECT_THAT(
      infer(onTwoPaths("R", "P", "  %4 = op neg(%y)\n  %5 = op relu(%4)\n"),
            true),
      ElementsAre("relu R|P?"));
}

TEST(StrictInference, AConstantThatIsZeroOnOnePathIsNoSum) {
  const auto Sum = [](const char *First) {
    return std::string("func @f(%p: \"tp: P\", %tp axis \"tp\") {\n"
                       "  slot %y local\nb0:\n  %3 = ") +
           First +
           "\n  %4 = zero\n  %y = bind %3\n  -> b1 b2\nb1:\n"
           "  %y = bind %4\n  -> b2\nb2:\n  -> b3 b4\nb3:\n"
           "  %y = bind %p\n  -> b4\nb4:\n"
           "  %5 = all_reduce %y on %tp from P to R\n  ->\n}";
  };
  EXPECT_THAT(infer(Sum("constant"), true), ElementsAre("all_reduce R|I|P?"));
  EXPECT_THAT(infer(Sum("constant"), false), IsEmpty());
  EXPECT_THAT(infer(Sum("zero"), true), IsEmpty());
}

TEST(StrictInference, AConstantOnOnePathIsNoneOnBoth) {
  // y is p or z, and z is zero or one, so P cannot be had of it.
  for (const char *Order : {"  %y = bind %p\n  -> b3 b4\nb3:\n"
                            "  %y = bind %3\n  -> b4\nb4:\n",
                            "  %y = bind %3\n  -> b3 b4\nb3:\n"
                            "  %y = bind %p\n  -> b4\nb4:\n"})
    EXPECT_THAT(infer(std::string("func @f(%p: \"tp: P\", %tp axis \"tp\") {\n"
                                  "  slot %y local\nb0:\n  %3 = zero\n"
                                  "  -> b1 b2\nb1:\n  %4 = op exp(%3) into %3\n"
                                  "  -> b2\nb2:\n") +
                          Order +
                          "  %5 = all_gather %y on %tp from V to R\n  ->\n}",
                      true),
                ElementsAre("all_gather R|I|P"))
        << Order;
}

TEST(StrictInference, ReducedOnOnePathOnly) {
  EXPECT_THAT(infer("func @f(%g: \"tp: P\", %tp axis \"tp\") {\nb0:\n"
                    "  -> b1 b2\nb1:\n  all_reduce %g on %tp into %g\n"
                    "  -> b2\nb2:\n  all_reduce %g on %tp into %g\n  ->\n}",
                    true),
              ElementsAre("all_reduce R|I|P?"));
}

TEST(Inference, AWrongArgumentIsNoExcuseForItself) {
  // Round the loop the callee's P would meet the declared R, and fit.
  EXPECT_THAT(infer("func @step(%p: \"tp: R\") {\nb0:\n  -> b1\n"
                    "b1:\n  -> b2 b3\nb2:\n  call @scale(%p)\n  -> b1\n"
                    "b3:\n  ->\n}\n"
                    "func @scale(%q: \"tp: P\") {\nb0:\n"
                    "  op neg(self=%q) into %q\n  ->\n}",
                    false),
              ElementsAre("q R"));
}

TEST(Inference, WhatIsMadeOfAWrongResultIsNoExcuseForIt) {
  for (const char *Written : {"op neg(self=%3) into %p", "%p = bind %3"})
    EXPECT_THAT(infer(std::string("func @f(%p: \"tp: R\", %g: \"tp: P\") {\n"
                                  "b0:\n  -> b1\nb1:\n  -> b2 b3\nb2:\n"
                                  "  %2 = op add(%p, %g)\n"
                                  "  %3 = op neg(%2)\n  ") +
                          Written + "\n  -> b1\nb3:\n  ->\n}",
                      false),
                testing::SizeIs(1))
        << Written;
}

TEST(Inference, WritesReachWhatAMergeOfMergesWasMadeOf) {
  // y is a or b, z is y or c: writing z may write a.
  EXPECT_THAT(
      infer("func @f(%a: \"tp: R\", %b: \"tp: R\", %c: \"tp: R\", "
            "%v: \"tp: V\", %w: \"tp: I\") {\n"
            "  slot %y local\n  slot %z local\nb0:\n  %y = bind %a\n"
            "  -> b1 b2\nb1:\n  %y = bind %b\n  -> b2\nb2:\n  %z = bind %y\n"
            "  -> b3 b4\nb3:\n  %z = bind %c\n  -> b4\nb4:\n"
            "  %7 = op add(%z, %v) into %z\n  %8 = op add(%a, %w)\n  ->\n}",
            true),
      ElementsAre("add R|V"));
  // And writing a may write y.
  EXPECT_THAT(infer("func @f(%a: \"tp: R\", %b: \"tp: R\", %v: \"tp: V\", "
                    "%w: \"tp: V\", %tp axis \"tp\") {\n"
                    "  slot %y local\nb0:\n  %y = bind %a\n"
                    "  -> b1 b2\nb1:\n  %y = bind %b\n  -> b2\nb2:\n"
                    "  %6 = op add(%a, %v) into %a\n"
                    "  %7 = reinterpret %y on %tp from R to I expert\n  ->\n}",
                    true),
              testing::Contains("reinterpret R|V?"));
}

/// `x` and `y` start as `a` and `c`; the body numbers its slots from %7.
std::string inPlace(llvm::StringRef Body, llvm::StringRef After = {}) {
  return ("func @f(%a: \"tp: R\", %b: \"tp: R\", %c: \"tp: R\", "
          "%v: \"tp: V\", %tp axis \"tp\") {\n"
          "  slot %x local\n  slot %y local\nb0:\n" +
          Body +
          "  %7 = op add(%y, %v) into %y\n"
          "  %8 = reinterpret %x on %tp from R to I expert\n  ->\n" +
          After + "}")
      .str();
}

TEST(Inference, WritesReachAMergeOfTheSameStorageElsewhere) {
  // x is a or b, and so is y, each for a reason of its own.
  EXPECT_THAT(infer(inPlace("  %x = bind %a\n  %y = bind %a\n  -> b1 b2\n"
                            "b1:\n  %x = bind %b\n  -> b2\nb2:\n  -> b3 b4\n"
                            "b3:\n  %y = bind %b\n  -> b4\nb4:\n"),
                    true),
              ElementsAre("reinterpret R|V?"));
  // Not those that have nothing in common.
  EXPECT_THAT(infer(inPlace("  %x = bind %a\n  %y = bind %v\n  -> b1 b2\n"
                            "b1:\n  %x = bind %b\n  -> b2\nb2:\n  -> b3 b4\n"
                            "b3:\n  %y = bind %c\n  -> b4\nb4:\n"),
                    true),
              IsEmpty());
}

TEST(Inference, WritesReachAMergeThatHasOneStorageInCommon) {
  EXPECT_THAT(infer(inPlace("  %x = bind %a\n  %y = bind %c\n  -> b1 b2\n"
                            "b1:\n  %x = bind %b\n  -> b3\n"
                            "b2:\n  %y = bind %b\n  -> b3\nb3:\n"),
                    true),
              ElementsAre("reinterpret R|V?"));
}

TEST(Inference, WritesReachAMergeThatGrewLater) {
  // The exit of the loop is seen before its body: y is c there, then c or a.
  EXPECT_THAT(infer(inPlace("  %x = bind %a\n  %y = bind %c\n  -> b2\n"
                            "b1:\n  -> b4 b5\nb2:\n  -> b3 b1\n"
                            "b3:\n  %y = bind %a\n  -> b2\nb4:\n",
                            "b5:\n  %x = bind %y\n  -> b4\n"),
                    true),
              ElementsAre("reinterpret R|V?"));
}

TEST(Inference, NamesOfOneStorageOnTwoPathsAreTwoOnTheThird) {
  EXPECT_THAT(infer(inPlace("  %x = bind %a\n  %y = bind %a\n  -> b1 b3\n"
                            "b1:\n  %x = bind %b\n  %y = bind %b\n  -> b2 b3\n"
                            "b2:\n  %y = bind %a\n  -> b3\nb3:\n"),
                    true),
              ElementsAre("reinterpret R|V?"));
  // On two they stay one.
  EXPECT_THAT(infer(inPlace("  %x = bind %a\n  %y = bind %a\n  -> b1 b2\n"
                            "b1:\n  %x = bind %b\n  %y = bind %b\n  -> b2\n"
                            "b2:\n"),
                    true),
              ElementsAre("reinterpret V"));
}

TEST(Inference, WritesToPartsReachAllThatTheWholeMayBe) {
  const auto With = [](llvm::StringRef Body) {
    return ("func @f(%a: \"tp: R\", %b: \"tp: R\", %v: \"tp: V\", "
            "%tp axis \"tp\") {\n"
            "  slot %x local\n  slot %y local\n  slot %z local\nb0:\n"
            "  %7 = rank_of %tp\n" +
            Body + "  %9 = reinterpret %x on %tp from R to I expert\n  ->\n}")
        .str();
  };
  // Each rank writes its slice of y, which is a or b, as x is.
  EXPECT_THAT(infer(With("  %x = bind %a\n  %y = bind %a\n  -> b1 b2\n"
                         "b1:\n  %x = bind %b\n  -> b2\nb2:\n  -> b3 b4\n"
                         "b3:\n  %y = bind %b\n  -> b4\nb4:\n"
                         "  %z = view %y at %7\n"
                         "  %8 = op add(%z, %v) into %z\n"),
                    true),
              ElementsAre("reinterpret R|V?"));
  // Each rank writes z, which is its slice of x or another buffer.
  EXPECT_THAT(infer(With("  %x = bind %a\n  %y = view %x at %7\n"
                         "  %z = bind %y\n  -> b1 b2\n"
                         "b1:\n  %z = bind %b\n  -> b2\nb2:\n"
                         "  %8 = op add(%z, %v) into %z\n"),
                    true),
              ElementsAre("reinterpret R|V?"));
}

TEST(StrictInference, ManyOperandsAreEachOneTypeAtATime) {
  for (int Count : {5, 9}) {
    std::string Copies, Operands;
    for (int I = 0; I != Count; ++I) {
      const std::string Name = "%" + std::to_string(4 + I);
      Copies += "  " + Name + " = op neg(%y)\n";
      Operands += (I ? ", tensors=" : "tensors=") + Name;
    }
    const std::string Joined = "%" + std::to_string(4 + Count);
    const std::string Last = "%" + std::to_string(5 + Count);
    const std::string Body =
        Copies + "  " + Joined + " = op cat(" + Operands + ")\n";
    EXPECT_THAT(infer(onTwoPaths("R", "P", Body), true),
                ElementsAre("cat R|P?"));
    EXPECT_THAT(infer(onTwoPaths("R", "P", Body), false), IsEmpty());
    EXPECT_THAT(infer(onTwoPaths("R", "V", Body), true), IsEmpty());
    EXPECT_THAT(infer(onTwoPaths("R", "V",
                                 Body + "  " + Last + " = reinterpret " +
                                     Joined + " on %tp from R to I expert\n"),
                      true),
                ElementsAre("reinterpret R|V?"));
  }
}

TEST(Inference, EndsWhereAWrongValueIsUsedInNestedLoops) {
  // Nobody knows what is wrong, and uses narrow it: it must not swing between
  // the two.
  EXPECT_THAT(infer("func @f(%v: \"tp: V\", %i: \"tp: I\", "
                    "%tp axis \"tp\") {\nb0:\n  -> b2\n"
                    "b1:\n  ->\n"
                    "b2:\n  -> b3 b1\n"
                    "b3:\n  %3 = op mul(%v, %i)\n  %4 = op relu(%3)\n"
                    "  -> b5\n"
                    "b4:\n  -> b2\n"
                    "b5:\n  -> b6 b4\n"
                    "b6:\n  %5 = op linear(%3, %v, %i) into %3\n"
                    "  -> b5\n}",
                    true),
              ElementsAre("mul V", "linear V"));
}

TEST(Inference, KnowsThatLoopsMayHaveNamedAnotherTensorOrNot) {
  // Neither tensor is written: a round of the outer loop makes no replica V.
  EXPECT_THAT(infer("func @f(%v: \"tp: V\", %r: \"tp: R\", "
                    "%tp axis \"tp\") {\n  slot %x local\nb0:\n"
                    "  %x = bind %v\n  -> b1\nb1:\n  -> b2 b5\n"
                    "b2:\n  -> b3 b4\nb3:\n  %x = bind %r\n  -> b2\n"
                    "b4:\n  -> b1\n"
                    "b5:\n  %4 = all_to_all %x on %tp from V to V\n  ->\n}",
                    true),
              ElementsAre("all_to_all R|V?"));
}

TEST(Inference, CallersSeeWritesToWhatNoNameIsLeftOf) {
  for (const char *Rest : {"  ->\n", "  -> b1\nb1:\n  ->\n"})
    EXPECT_THAT(
        infer(std::string("func @f(%p: \"tp: R\", %v: \"tp: V\", "
                          "%tp axis \"tp\") {\nb0:\n  call @g(%p, %v)\n"
                          "  %3 = reinterpret %p on %tp from R to I expert\n"
                          "  ->\n}\nfunc @g(%x, %w) {\nb0:\n"
                          "  %2 = op add(%x, %w) into %x\n"
                          "  %x = bind %w\n") +
                  Rest + "}",
              true),
        testing::Contains("reinterpret V"))
        << Rest;
}

} // namespace
