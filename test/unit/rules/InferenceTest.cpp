//===- InferenceTest.cpp - Inference on programs in text form -------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

constexpr const char *Names[] = {
    "invariant-mix",   "partial-nonlinear", "partial-add",
    "partial-product", "src-type",          "transition",
    "contract",        "loss-type",         "strict"};

/// "3:1 partial-add tp [P R]" per violation.
std::vector<std::string> infer(llvm::StringRef Text,
                               InferenceOptions Options = {}) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  std::vector<std::string> Out;
  for (const Violation &V : inferModule(*M, Options).Violations) {
    const Place P = V.In->Places[index(V.At)];
    std::string Line = std::to_string(P.Line) + ":" + std::to_string(P.Column) +
                       " " + Names[static_cast<int>(V.kind())] + " " + V.Axis +
                       " [";
    for (const ViolationOperand &O : V.Operands)
      Line += (&O == V.Operands.data() ? "" : " ") + printAxisType(O.Type);
    Out.push_back(Line + "]");
  }
  return Out;
}

using Findings = std::vector<std::string>;
const Findings None;

TEST(Inference, RightMegatronMlpIsSilent) {
  EXPECT_EQ(infer(R"ir(
func @mlp(%x: "tp: R", %w1: "tp: S(0)", %w2: "tp: S(1)", %b: "tp: I",
          %tp axis "tp") -> "tp: R" {
b0:
  %5 = op matmul(%x, %w1)
  %6 = op gelu(%5)
  %7 = op matmul(%6, %w2)
  %8 = out_partial %7 on %tp
  %9 = all_reduce %8 on %tp from P to R
  %10 = reinterpret %b on %tp from I to R
  %11 = op add(%9, %10)
  return %11
  ->
})ir"),
            None);
}

TEST(Inference, UnannotatedCodeIsSilent) {
  EXPECT_EQ(infer(R"ir(
func @f(%x, %w, %c) {
b0:
  %3 = op matmul(%x, %w)
  %4 = all_reduce %3 on %c with unknown
  %5 = op relu(%4)
  %6 = op add(%5, %x)
  return %6
  ->
})ir"),
            None);
}

TEST(Inference, OperandsOfOneOp) {
  const auto Two = [](llvm::StringRef Op, llvm::StringRef A,
                      llvm::StringRef B) {
    return infer(("func @f(%a: \"tp: " + A + "\", %b: \"tp: " + B +
                  "\") {\nb0:\n  %2 = op " + Op +
                  "(%a, %b) @7:3\n  return %2\n  ->\n}")
                     .str());
  };
  EXPECT_EQ(Two("add", "R", "V"), None);
  EXPECT_EQ(Two("add", "P", "P"), None);
  EXPECT_EQ(Two("mul", "P", "R"), None);
  EXPECT_EQ(Two("add", "I", "R"), Findings{"7:3 invariant-mix tp [I R]"});
  EXPECT_EQ(Two("mul", "I", "P"), Findings{"7:3 invariant-mix tp [I P]"});
  EXPECT_EQ(Two("add", "P", "R"), Findings{"7:3 partial-add tp [P R]"});
  EXPECT_EQ(Two("add", "I", "P"), Findings{"7:3 partial-add tp [I P]"});
  EXPECT_EQ(Two("mul", "P", "P"), Findings{"7:3 partial-product tp [P P]"});
  EXPECT_EQ(Two("matmul", "V", "P"), Findings{"7:3 partial-product tp [V P]"});
  EXPECT_EQ(Two("div", "R", "P"), Findings{"7:3 partial-nonlinear tp [R P]"});
}

TEST(Inference, NonlinearOfPartial) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "tp: P, dp: V") {
b0:
  %1 = op gelu(%x) @2:3
  %2 = op relu(%1) @3:3
  return %2
  ->
})ir"),
            Findings{"2:3 partial-nonlinear tp [P]"});
}

TEST(Inference, LiteralsAdoptTheOtherType) {
  EXPECT_EQ(infer(R"ir(
func @f(%p: "tp: P", %i: "tp: I", %v: "tp: V") {
b0:
  %3 = constant
  %4 = op mul(%p, %3) @1:1
  %5 = op add(%i, %3) @2:1
  %6 = zero
  %7 = op add(%p, %6) @3:1
  %8 = op add(%v, %3) @4:1
  %9 = constant
  %10 = op add(%p, %9) @5:1
  ->
})ir"),
            Findings{"5:1 partial-add tp [P R|I]"});
}

TEST(Inference, DoubledAllReduce) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "tp: P", %tp axis "tp") {
b0:
  %2 = all_reduce %x on %tp from P to R @1:1
  %3 = all_reduce %2 on %tp from P to R @2:1
  return %3
  ->
})ir"),
            Findings{"2:1 src-type tp [R]"});
}

TEST(Inference, RawCollectivesInPlace) {
  EXPECT_EQ(infer(R"ir(
func @f(%g: "dp: P", %dp axis "dp") {
b0:
  all_reduce %g on %dp into %g @1:1
  all_reduce %g on %dp into %g @2:1
  ->
})ir"),
            Findings{"2:1 src-type dp [R|I]"});
}

TEST(Inference, CollectiveOnTheWrongAxisKnowsTheRightOne) {
  llvm::Expected<Module> M = parseModule(R"ir(
func @f(%x: "dp: P, tp: R", %tp axis "tp") {
b0:
  %2 = all_reduce %x on %tp from P to R @1:1
  ->
})ir",
                                         OpCatalogue::builtin());
  ASSERT_TRUE(bool(M));
  const InferenceResult R = inferModule(*M, {});
  ASSERT_EQ(R.Violations.size(), 1u);
  EXPECT_EQ(R.Violations[0].as<SrcType>()->TypedElsewhere,
            std::vector<std::string>{"dp"});
}

TEST(Inference, CollectiveOnTheWrongAxisIsOneMistake) {
  EXPECT_EQ(infer(R"ir(
func @f(%loss: "tp: I, dp: V", %tp axis "tp", %dp axis "dp") -> "tp: I, dp: P" {
b0:
  %3 = reinterpret %loss on %tp from V to P @3:1
  return %3
  ->
})ir"),
            Findings{"3:1 src-type tp [I]"});
}

TEST(Inference, TransitionsOutsideTheTable) {
  EXPECT_EQ(infer(R"ir(
func @f(%r: "tp: R", %v: "tp: V", %tp axis "tp") {
b0:
  %3 = reinterpret %r on %tp from R to I @1:1
  %4 = reinterpret %r on %tp from R to I expert @2:1
  %5 = all_gather %v on %tp from V to P @3:1
  %6 = convert %r on %tp from R to S(0) @4:1
  ->
})ir"),
            (Findings{"1:1 transition tp [R]", "3:1 transition tp [V]"}));
}

TEST(Inference, FlattenedAxesApplyToEach) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "dp: P, tp: R", %c axis "(dp,tp)") {
  b0:
    % 2 = all_reduce % x on % c from P to R @1 : 1->
})ir"),
            Findings{"1:1 src-type tp [R]"});
}

TEST(Inference, MergesTakeTheUnion) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "tp: P", %tp axis "tp", %q: "tp: P") {
  slot %y local
b0:
  %y = bind %x
  -> b1 b2
b1:
  %4 = all_reduce %x on %tp from P to R
  %y = bind %4
  -> b2
b2:
  %5 = op relu(%y) @5:1
  %6 = op add(%5, %q) @6:1
  ->
})ir"),
            Findings{"6:1 partial-add tp [R P]"});
}

TEST(Inference, LoopsReachAFixpoint) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "tp: V", %w: "tp: R") {
  slot %h local
b0:
  %h = bind %x
  -> b1
b1:
  %3 = op matmul(%h, %w) @2:1
  %h = bind %3
  -> b1 b2
b2:
  return %h
  ->
})ir"),
            None);
}

TEST(Inference, AliasesSeeInPlaceWrites) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "tp: P", %tp axis "tp") {
  slot %y local
b0:
  %y = bind %x
  all_reduce %x on %tp into %x
  %3 = op relu(%y) @3:1
  ->
})ir"),
            None);
}

TEST(Inference, ShardedUpdateThenGather) {
  // Each rank updates its own slice; the gather makes the buffer whole again.
  EXPECT_EQ(infer(R"ir(
func @f(%p: "dp: I", %g: "dp: V", %dp axis "dp") {
  slot %mine local
b0:
  %4 = rank_of %dp
  %mine = view %p at %4
  %5 = op sub(%mine, %g) into %mine @3:1
  all_gather %mine on %dp into %p @4:1
  all_gather %p on %dp into %p @5:1
  ->
})ir"),
            Findings{"5:1 src-type dp [I]"});
}

TEST(Inference, NarrowingCarriesInformationForward) {
  EXPECT_EQ(infer(R"ir(
func @f(%w: "tp: I", %x, %r: "tp: R") {
b0:
  %3 = op mul(%x, %w) @1:1
  %4 = op mul(%x, %r) @2:1
  ->
})ir"),
            Findings{"2:1 invariant-mix tp [I R]"});
}

TEST(Inference, ContractsAtCalls) {
  EXPECT_EQ(infer(R"ir(
func @g(%x: "tp: R" !1:8) -> "tp: P" {
}
func @f(%v: "tp: V") {
b0:
  %1 = call @g(%v) @4:3
  %2 = op relu(%1) @5:3
  ->
})ir"),
            (Findings{"4:3 contract tp [V]", "5:3 partial-nonlinear tp [P]"}));
}

TEST(Inference, AxisNamedByAParameter) {
  EXPECT_EQ(infer(R"ir(
func @reduce(%x: "c: P -> c: I", %c) {
}
func @f(%g: "dp: P", %dp axis "dp", %h: "dp: P") {
b0:
  call @reduce(%g, %dp) @4:3
  %4 = op relu(%g) @5:3
  call @reduce(%g, %dp) @6:3
  %5 = op relu(%h) @7:3
  ->
})ir"),
            (Findings{"6:3 contract dp [I]", "7:3 partial-nonlinear dp [P]"}));
}

TEST(Inference, BodiesAreAnalysedInTheCallersContext) {
  EXPECT_EQ(infer(R"ir(
func @act(%x) {
b0:
  %1 = op gelu(%x) @2:3
  return %1
  ->
}
func @f(%p: "tp: P", %r: "tp: R") {
b0:
  %2 = call @act(%r) @6:3
  %3 = call @act(%p) @7:3
  ->
})ir"),
            Findings{"2:3 partial-nonlinear tp [P]"});
}

TEST(Inference, APassedPendingSumIsOneMistake) {
  EXPECT_EQ(
      infer(R"ir(
func @adam(%m, %v, %g) {
b0:
  %3 = op mul(%g, %g) @2:3
  %4 = op add(%v, %3) into %v @3:3
  %5 = op add(%m, %g) into %m @4:3
  %6 = op gelu(%m) @5:3
  ->
}
func @f(%m: "dp: V", %v: "dp: V", %g: "dp: P") {
b0:
  call @adam(%m, %v, %g) @6:3
  ->
}
func @h(%m: "dp: V", %v: "dp: V", %g: "dp: P") {
b0:
  %3 = op gelu(%g) @7:3
  %4 = op add(%m, %g) @8:3
  ->
})ir"),
      (Findings{"2:3 partial-product dp [P P]", "7:3 partial-nonlinear dp [P]",
                "8:3 partial-add dp [V P]"}));
}

TEST(Inference, WrappersThatReduceInPlace) {
  EXPECT_EQ(infer(R"ir(
func @reduce(%buf, %comm) {
b0:
  all_reduce %buf on %comm into %buf @2:3
  ->
}
func @f(%g: "dp: P", %dp axis "dp") {
b0:
  call @reduce(%g, %dp) @6:3
  %2 = op relu(%g) @7:3
  call @reduce(%g, %dp) @8:3
  ->
})ir"),
            Findings{"2:3 src-type dp [R|I]"});
}

TEST(Inference, RecursionIsGivenUpQuietly) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "tp: V") {
b0:
  %1 = call @f(%x)
  %2 = op relu(%1)
  return %2
  ->
})ir"),
            None);
}

TEST(Inference, LossTypes) {
  EXPECT_EQ(infer(R"ir(
func @f(%a: "dp: R", %b: "dp: V", %c: "dp: P", %d: "dp: I", %e) {
b0:
  backward %a @1:1
  backward %b @2:1
  backward %c @3:1
  backward %d @4:1
  backward %e @5:1
  ->
})ir"),
            (Findings{"1:1 loss-type dp [R]", "2:1 loss-type dp [V]"}));
}

TEST(Inference, GradientsHaveTheDualTypeUntilReduced) {
  EXPECT_EQ(infer(R"ir(
func @f(%w: "dp: R", %dp axis "dp") {
b0:
  %2 = gradient %w
  %3 = op relu(%2) @2:1
  %4 = gradient %w
  all_reduce %4 on %dp into %4
  %5 = gradient %w
  %6 = op relu(%5) @5:1
  ->
})ir"),
            Findings{"2:1 partial-nonlinear dp [P]"});
}

TEST(Inference, FieldsKeepTheirDeclaration) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "tp: P") {
  slot %this this
  slot %w field %this w: "tp: R"
b0:
  %3 = op add(%x, %w) @1:1
  havoc %w rebinds
  %4 = op add(%x, %w) @2:1
  ->
})ir"),
            (Findings{"1:1 partial-add tp [P R]", "2:1 partial-add tp [P R]"}));
}

TEST(Inference, SingletonAxesSayNothing) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "tp: P", %b: "tp: R") mesh "tp=1" {
b0:
  %2 = op add(%x, %b)
  ->
})ir"),
            None);
}

TEST(Inference, MeshDefaultsFillAnnotations) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "tp: R", %w: "tp: R, dp: I") mesh "dp=8:V, tp=4" {
b0:
  %2 = op mul(%x, %w) @1:1
  ->
})ir"),
            Findings{"1:1 invariant-mix dp [V I]"});
}

TEST(Inference, ExitTypesAreChecked) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "dp: P -> dp: I" !1:9) {
b0:
  return _ @3:1
  ->
})ir"),
            Findings{"3:1 contract dp [P]"});
}

TEST(Inference, ReturnTypesAreChecked) {
  EXPECT_EQ(infer(R"ir(
func @f(%x: "dp: P") -> "dp: R" {
b0:
  return %x @3:1
  ->
})ir"),
            Findings{"3:1 contract dp [P]"});
}

TEST(Inference, WhatAListHoldsMayBeWrittenThroughIt) {
  const char *Text = R"(
func @f(%a: "dp: P -> dp: R", %b: "dp: P -> dp: R", %c: "dp: P -> dp: R" !1:1, %dp axis "dp") {
  slot %list local
b0:
  %list = undefined
  %list = join %a
  %list = join %b
  all_reduce %list on %dp into %list @2:1
  %4 = op relu(%a) @3:1
  ->
})";
  EXPECT_EQ(infer(Text), Findings{"1:1 contract dp [P]"});
}

TEST(Inference, AHandleInAListIsOneOfSeveral) {
  EXPECT_EQ(infer(R"(
func @f(%list: "dp: P", %dp axis "dp") {
b0:
  %2 = zero
  %3 = handle %list at %2
  all_reduce %3 on %dp into %3 @2:1
  %4 = handle %list at %2
  all_reduce %4 on %dp into %4 @3:1
  all_reduce %4 on %dp into %4 @4:1
  ->
})"),
            Findings{"4:1 src-type dp [R|I]"});
}

TEST(Inference, AViewIsWhatItIsAViewOf) {
  EXPECT_EQ(infer(R"(
func @f(%x: "dp: P", %dp axis "dp") {
b0:
  %2 = op view(%x)
  %3 = op narrow(%x)
  all_reduce %x on %dp into %x @2:1
  %4 = op relu(%2) @3:1
  %5 = op relu(%3) @4:1
  all_reduce %2 on %dp into %2 @5:1
  ->
})"),
            Findings{"5:1 src-type dp [R|I]"});
}

} // namespace
