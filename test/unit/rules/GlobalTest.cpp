//===- GlobalTest.cpp - Partition specs through global code ---------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

constexpr const char *OpKinds[] = {"rank",        "dimension", "size",
                                   "contraction", "addend",    "missing",
                                   "order",       "repeated",  "needs-whole",
                                   "across-view", "uneven",    "not-partial"};
constexpr const char *ClashKinds[] = {"rank", "size", "axes", "order"};
constexpr const char *CommKinds[] = {
    "no-dim", "no-such-dim", "not-last", "other-dim", "uneven", "reinterprets"};

std::string describe(const WrongShardTransfer &T) {
  return std::string(CommKinds[static_cast<int>(T.K)]) + " " + T.AxesOfDim;
}

std::string describe(const Violation &V) {
  if (const auto *Undecided = V.unsureOf<UndecidedShards>())
    return "undecided " + Undecided->On;
  if (const auto *Order = V.as<ShardOrder>())
    return describe(Order->Why);
  if (const auto *Clash = V.as<ContractClash>(); Clash && Clash->Spec)
    return std::string(ClashKinds[static_cast<int>(Clash->Spec->How.K)]) + " " +
           Clash->Spec->Required;
  const auto *Shards = V.as<ShardPropagation>();
  if (!Shards)
    return "local";
  if (const WrongShardTransfer *T = Shards->ofTransfer())
    return describe(*T);
  const SpecViolation &Op = *Shards->ofOp();
  return std::string(OpKinds[static_cast<int>(Op.K)]) + " " +
         printFactorRule(Op.Rule, Op.Factor);
}

/// The findings, "2:3 tp contraction m [k], [k] n -> m n"; when there are none,
/// the specs that are known, "%2 = [B@dp, S]".
std::vector<std::string> infer(llvm::StringRef Text, bool Strict = false) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  InferenceOptions Options;
  Options.Strict = Strict;
  std::vector<std::string> Out, Types;
  const auto OnType = [&](const TypedSlot &T) {
    if (T.As == TypedSlot::Role::Made && !T.Spec.empty() &&
        T.Slot >= SlotId(T.In->NumParameters))
      Types.push_back("%" + std::to_string(index(T.Slot)) + " = " + T.Spec);
  };
  for (const Violation &V : inferModule(*M, Options, OnType).Violations) {
    const Place P = V.In->Places[index(V.At)];
    std::string Line = std::to_string(P.Line) + ":" + std::to_string(P.Column) +
                       " " + V.Axis + " ";
    Out.push_back(Line + describe(V));
  }
  return Out.empty() ? Types : Out;
}

using Lines = std::vector<std::string>;

/// One op on %x and %w, in global code on dp and tp.
std::vector<std::string> op(llvm::StringRef Shape, llvm::StringRef X,
                            llvm::StringRef W, llvm::StringRef After = "") {
  return infer(("rule f(a, b) = \"multilinear(a, b)\" shape \"" + Shape +
                "\"\nfunc @g(%x: \"" + X + "\", %w: \"" + W +
                "\", %tp axis \"tp\", %dp axis \"dp\") global {\nb0:\n"
                "  %4 = op f(%x, %w) @2:3\n" +
                After + "  ->\n}\n")
                   .str());
}
std::vector<std::string> matmul(llvm::StringRef X, llvm::StringRef W,
                                llvm::StringRef After = "") {
  return op("m k, k n -> m n", X, W, After);
}

TEST(Global, MatmulKeepsWhatIsNotContracted) {
  EXPECT_EQ(matmul("[B@dp, K]{tp: R}", "[K, N@tp]{dp: R}"),
            Lines{"%4 = [B@dp, N@tp]"});
  EXPECT_EQ(matmul("[B@(dp,tp), K]", "[K, N]{dp: R, tp: R}"),
            Lines{"%4 = [B@(dp,tp), N]"});
}

TEST(Global, ContractionOfShardsNeedsOutPartial) {
  EXPECT_EQ(matmul("[B@dp, K@tp]", "[K@tp, N]{dp: R}"),
            Lines{"2:3 tp contraction m [k], [k] n -> m n"});
  EXPECT_EQ(matmul("[B@dp, K@tp]", "[K@tp, N]{dp: R}",
                   "  %5 = out_partial %4 on %tp\n"
                   "  %6 = all_reduce %5 on %tp from P to R\n"),
            (Lines{"%4 = [B@dp, N]", "%5 = [B@dp, N]", "%6 = [B@dp, N]"}));
  EXPECT_EQ(matmul("[B@dp, K@tp]", "[K@tp, N]{dp: R}",
                   "  %5 = out_partial %4 on %tp\n"
                   "  %6 = reduce_scatter %5 on %tp from P to S(1)\n"),
            (Lines{"%4 = [B@dp, N]", "%5 = [B@dp, N]", "%6 = [B@dp, N@tp]"}));
  EXPECT_EQ(matmul("[B@dp, K@tp]", "[K@tp, N]{dp: R}",
                   "  %5 = out_partial %4 on %dp\n"),
            Lines{"2:3 tp contraction m [k], [k] n -> m n"});
}

TEST(Global, AnAbsentFactorMakesNoAddendPending) {
  const auto Sum = [](llvm::StringRef Operands) {
    return infer(("rule f(bias, a, b, scale?) = \"linear(multilinear(scale, "
                  "bias), multilinear(a, b))\" shape \"n, m k, k n, -> m n\"\n"
                  "func @g(%x: \"[B@dp, K@tp]\", %w: \"[K@tp, N]{dp: R}\", "
                  "%bias: \"[N]{dp: R, tp: R}\", %tp axis \"tp\", %dp axis "
                  "\"dp\") global {\nb0:\n  %5 = op f(" +
                  Operands + ") @2:3\n  %6 = out_partial %5 on %tp\n  ->\n}\n")
                     .str());
  };
  EXPECT_EQ(Sum("%bias, %x, %w"),
            Lines{"2:3 tp addend n, m [k], [k] n -> m n"});
}

TEST(Global, AShardedDimOfSizeOneIsNeededWhole) {
  EXPECT_EQ(op("n, 1 -> n", "[B@dp]{tp: R}", "[1@tp]{dp: R}"),
            Lines{"2:3 tp needs-whole n, [i] -> n"});
}

TEST(Global, UnevenShardsAreWhatMinusOneStandsFor) {
  const auto View = [](llvm::StringRef Sizes) {
    return infer(("func @g(%x: \"[7@tp, 4]\") global mesh \"tp=2\" {\nb0:\n"
                  "  %1 = op unflatten(%x) [dim=0, sizes={" +
                  Sizes + "}] @2:3\n  ->\n}\n")
                     .str());
  };
  EXPECT_EQ(View("2, 2"), Lines{});
  EXPECT_EQ(View("-1, 1"), Lines{"%1 = [7@tp, 1, 4]"});
}

TEST(Global, OperandsShardAFactorAlike) {
  EXPECT_EQ(matmul("[B@dp, K@tp]", "[K, N]{dp: R, tp: R}"),
            Lines{"2:3 tp missing m [k], [k] n -> m n"});
  EXPECT_EQ(matmul("[B, K@(dp,tp)]", "[K@(tp,dp), N]"),
            Lines{"2:3 tp order m [k], [k] n -> m n"});
  EXPECT_EQ(matmul("[B@tp, K]{dp: R}", "[K, N@tp]{dp: R}"),
            Lines{"2:3 tp repeated m k, k [n] -> m [n]"});
  EXPECT_EQ(op("elementwise", "[B@dp, S]{tp: R}", "[B, S]{dp: R, tp: R}"),
            Lines{"2:3 dp missing [b] s, [b] s -> [b] s"});
}

TEST(Global, SizesOfOneFactorAgree) {
  EXPECT_EQ(matmul("[B@dp, K]{tp: R}", "[H, N@tp]{dp: R}"),
            Lines{"2:3 dp size m [k], [k] n -> m n"});
  EXPECT_EQ(matmul("[B@dp, 8]{tp: R}", "[_, N@tp]{dp: R}"),
            Lines{"%4 = [B@dp, N@tp]"});
  EXPECT_EQ(op("elementwise", "[B@dp, S]{tp: R}", "[S]{dp: R, tp: R}"),
            Lines{"%4 = [B@dp, S]"});
  EXPECT_EQ(op("elementwise", "[B@dp, S]{tp: R}", "[B@dp, 1]{tp: R}"),
            Lines{"%4 = [B@dp, S]"});
}

TEST(Global, WithoutLayoutNothingIsSaidOfTheAxis) {
  // Left out, tp is V and nobody knows how.
  EXPECT_EQ(matmul("[B@dp, K]", "[K, N@tp]{dp: R}"), Lines{"%4 = [B@dp, N]"});
  EXPECT_EQ(matmul("tp: V", "[K, N@tp]{dp: R}"), Lines{});
}

TEST(Global, CollectivesActOnTheLastAxisOfADim) {
  const auto Gather = [](llvm::StringRef X, llvm::StringRef Comm) {
    return infer(("func @g(%x: \"" + X +
                  "\", %tp axis \"tp\", %dp axis \"dp\") global {\nb0:\n"
                  "  %3 = " +
                  Comm + " @2:3\n  ->\n}\n")
                     .str());
  };
  EXPECT_EQ(Gather("[B@(dp,tp), S]", "all_gather %x on %tp from S(0) to R"),
            Lines{"%3 = [B@dp, S]"});
  EXPECT_EQ(Gather("[B@(dp,tp), S]", "all_gather %x on %dp from S(0) to R"),
            Lines{"2:3 dp not-last (dp,tp)"});
  EXPECT_EQ(Gather("[B@(dp,tp), S]", "all_to_all %x on %tp from S(0) to S(-1)"),
            Lines{"%3 = [B@dp, S@tp]"});
  EXPECT_EQ(Gather("[B@dp, S@tp]", "all_gather %x on %tp from V to R"),
            Lines{"2:3 tp no-dim "});
  EXPECT_EQ(Gather("[B@dp, S]{tp: R}", "convert %x on %tp from R to S(0)"),
            Lines{"%3 = [B@(dp,tp), S]"});
  EXPECT_EQ(Gather("[B@dp, S]{tp: R}", "reinterpret %x on %tp from R to V"),
            Lines{"2:3 tp local"});
  EXPECT_EQ(Gather("[B@dp, S]{tp: R}", "convert %x on %tp from R to S(2)"),
            Lines{"2:3 tp no-such-dim "});
}

TEST(Global, UnevenShardsAreCutAndPutTogetherOnTheLastAxis) {
  const auto After = [](llvm::StringRef Type, llvm::StringRef Does) {
    return infer(("func @g(%x: \"" + Type +
                  "\", %tp axis \"tp\", %both axis \"(tp,cp)\") global mesh "
                  "\"tp=2, dp=3, cp=2\" {\nb0:\n  %3 = " +
                  Does + " @2:3\n  ->\n}\n")
                     .str());
  };
  EXPECT_EQ(After("[10@dp]{tp: R}", "convert %x on %tp from R to S(0)"),
            Lines{"%3 = [10@(dp,tp)]"});
  EXPECT_EQ(After("[5@(tp,dp)]", "all_gather %x on %tp from S(0) to R"),
            Lines{"2:3 tp not-last (tp,dp)"});
  EXPECT_EQ(After("[10@(dp,tp)]", "all_gather %x on %tp from S(0) to R"),
            Lines{"%3 = [10@dp]"});
  // Four ranks at once have 2, 2, 1 and none; by the axes 2, 1, 1 and 1.
  EXPECT_EQ(After("[5]{tp: R, cp: R}", "convert %x on %both from R to S(0)"),
            Lines{"2:3 tp uneven ()"});
  EXPECT_EQ(After("[8]{tp: R, cp: R}", "convert %x on %both from R to S(0)"),
            Lines{"%3 = [8@(tp,cp)]"});
  EXPECT_EQ(After("[5@(tp,cp)]", "all_gather %x on %both from S(0) to R"),
            Lines{"%3 = [5]"});
}

TEST(Global, ContractsAreAboutSpecs) {
  const auto Passed = [](llvm::StringRef X, llvm::StringRef Declared) {
    return infer(("func @h(%x: \"" + Declared + "\") {\n}\nfunc @g(%x: \"" + X +
                  "\") global {\nb0:\n  call @h(%x) @2:3\n  ->\n}\n")
                     .str());
  };
  EXPECT_EQ(Passed("[B@dp, S]{tp: R}", "[N@dp, D]{tp: R}"), Lines{});
  EXPECT_EQ(Passed("[B@dp, S]{tp: R}", "[N@dp, N]{tp: R}"),
            Lines{"2:3 dp size [B@dp, B]"});
  EXPECT_EQ(Passed("[B@(dp,tp), S]", "[B@(tp,dp), S]"),
            Lines{"2:3 dp order [B@(tp,dp), S]"});
  EXPECT_EQ(Passed("[B@dp, S]{tp: R}", "[B, S@dp]{tp: R}"),
            Lines{"2:3 dp axes [B, S@dp]"});
  EXPECT_EQ(Passed("[B@dp, S]{tp: R}", "[B@dp, S, H]{tp: R}"),
            Lines{"2:3 dp rank [B@dp, S, H]"});
}

TEST(Global, ALocalRegionForgetsTheLayoutUntilItsEnd) {
  EXPECT_EQ(infer(R"(
func @h(%x: "[B@dp, S]{tp: R}") -> "[B@dp, S]{tp: R}" local_map {
b0:
  %1 = op relu(%x)
  return %1
  ->
}
func @tp(%x: "[B@dp, S]{tp: R}") -> "dp: V, tp: R" global "tp" {
b0:
  %1 = op softmax(%x) [dim=0]
  return %1
  ->
}
func @g(%x: "[B@dp, S]{tp: R}") global {
b0:
  %1 = call @h(%x)
  %2 = op relu(%x)
  %3 = call @tp(%x)
  %4 = op relu(%x)
  ->
})"),
            (Lines{"%1 = [B@dp, S]", "%2 = [B@dp, S]", "%1 = [B/dp, S]",
                   "%4 = [B@dp, S]", "%1 = [B/dp, S]"}));
}

TEST(Global, RedistributeSaysBothTypes) {
  const auto Between = [](llvm::StringRef X, llvm::StringRef From,
                          llvm::StringRef To) {
    return infer(("func @g(%x: \"" + X +
                  "\") global {\nb0:\n  %1 = redistribute %x on _ from \"" +
                  From + "\" to \"" + To + "\" @2:3\n  ->\n}\n")
                     .str());
  };
  EXPECT_EQ(Between("[B@dp, S]", "[B@dp, S]", "[B, S@dp]"),
            Lines{"%1 = [B, S@dp]"});
  EXPECT_EQ(Between("[B@(dp,tp), S]", "[B@(tp,dp), S]", "[B, S@dp]{tp: R}"),
            Lines{"2:3 dp order [B@(tp,dp), S]"});
  EXPECT_EQ(Between("[B@dp, S]{tp: P}", "[B@dp, S]{tp: R}", "[B@(dp,tp), S]"),
            Lines{"2:3 tp local"});
}

/// Facts in global code on dp and tp about %x and %y.
std::vector<std::string> body(llvm::StringRef X, llvm::StringRef Y,
                              llvm::StringRef Facts) {
  return infer(("func @g(%x: \"" + X + "\", %y: \"" + Y +
                "\", %tp axis \"tp\", %dp axis \"dp\") global {\nb0:\n" +
                Facts + "  ->\n}\n")
                   .str());
}

TEST(Global, WrittenStorageKeepsItsDims) {
  // Through a view, what is written has other dims.
  EXPECT_EQ(body("[B@dp, S]{tp: R}", "[S, B@dp]{tp: R}",
                 "  %4 = op copy_(src=%y) into %x\n  %5 = op relu(%x)\n"),
            (Lines{"%4 = [B@dp, S]", "%5 = [B@dp, S]"}));
  EXPECT_EQ(body("[B@dp, S]{tp: R}", "[]{dp: R, tp: R}",
                 "  %4 = op fill_(%y) into %x\n"),
            Lines{"%4 = [B@dp, S]"});
  EXPECT_EQ(body("[B@dp, S]{tp: R}", "[]{dp: R, tp: R}",
                 "  %4 = op transpose(%x) [dim0=0, dim1=1] into %x\n"),
            Lines{"%4 = [S, B@dp]"});
  // Data that is set may have any dims.
  EXPECT_EQ(body("[B@dp, S]{tp: R}", "dp: V, tp: R",
                 "  %4 = op set_data(%y) into %x\n  %5 = op relu(%x)\n"),
            Lines{});
}

TEST(Global, SizesOfUnknownLayoutsAreNotCompared) {
  // tp is V, nobody knows how: a rank may have a part of 8.
  EXPECT_EQ(body("[B@dp, 8]", "[B@dp, 4]{tp: R}", "  %4 = op add(%x, %y)\n"),
            Lines{"%4 = [B@dp, 8]"});
  EXPECT_EQ(body("[8@dp, 64]", "[]", "  %4 = op view(%x) [size={2,2,64}]\n"),
            Lines{});
}

TEST(Global, NewTensorsMayBePartsOfAnyWhole) {
  EXPECT_EQ(body("[B@dp, S]{tp: R}", "[]{dp: R, tp: R}",
                 "  %4 = op zeros() [size={%x[0],%x[1]}]\n"
                 "  require return %4 \"[B@dp, S]{tp: R}\"\n"),
            Lines{"%4 = [_, _]"});
  EXPECT_EQ(body("[B@dp, S]{tp: R}", "[]{dp: R, tp: R}",
                 "  %4 = op ones() [size={%x[1]}]\n"
                 "  %5 = op add(%x, %4)\n"),
            (Lines{"%4 = [_]", "%5 = [B@dp, S]"}));
  EXPECT_EQ(body("[B@dp, S]{tp: R}", "[]{dp: R, tp: R}",
                 "  %4 = op ones() [size={%x[0],%x[1]}]\n"
                 "  %5 = op add(%x, %4)\n"),
            (Lines{"%4 = [_, _]", "%5 = [B@dp, S]"}));
  EXPECT_EQ(body("[B@dp, S]{tp: R}", "[]{dp: R, tp: R}",
                 "  %4 = op ones() [size={rows,%x[1]}]\n"
                 "  %5 = op add(%x, %4)\n"),
            Lines{"%4 = [_, _]"});
}

TEST(Global, WhatIsLookedAtAsAWholeIsNoPartFromThereOn) {
  const auto Mask = [](llvm::StringRef Rows) {
    return body("[B@dp, S]{tp: R}", "[]{dp: R, tp: R}",
                ("  %4 = op ones() [size={" + Rows +
                 ",%x[1]}]\n"
                 "  %5 = op tril(%4)\n"
                 "  %6 = op add(%x, %5) @2:3\n")
                    .str());
  };
  EXPECT_EQ(Mask("%x[0]"), Lines{"2:3 dp missing [b] s, [b] s -> [b] s"});
  EXPECT_EQ(Mask("?"), (Lines{"%4 = [_, _]", "%5 = [_, S]"}));
  EXPECT_EQ(body("[B@dp, S]{tp: R}", "[]{dp: R, tp: R}",
                 "  %4 = op ones() [size={%x[0],%x[1]}]\n"
                 "  %5 = op tril(%4) into %4\n"
                 "  %6 = op add(%x, %4) @2:3\n"),
            Lines{"2:3 dp missing [b] s, [b] s -> [b] s"});
}

TEST(Global, WhatIsMadeByPlaceIsNoPart) {
  const auto Added = [](llvm::StringRef Op) {
    return body("[B@dp, S]{tp: R}", "[]{dp: R, tp: R}",
                ("  %4 = op " + Op + "\n  %5 = op add(%x, %4) @2:3\n").str());
  };
  EXPECT_EQ(Added("eye() [n=%x[0], m=%x[1]]"),
            Lines{"2:3 dp missing [b] s, [b] s -> [b] s"});
  EXPECT_EQ(Added("hann_window() [window_length=%x[1]]"),
            (Lines{"%4 = [S]", "%5 = [B@dp, S]"}));
}

TEST(Global, AxesOfSizeOneShardNothing) {
  EXPECT_EQ(infer("func @g(%x: \"[B@pp, K@tp]\", %y: \"[K@tp, N]{pp: R}\", "
                  "%pp axis \"pp\", %tp axis \"tp\") global mesh "
                  "\"pp=1, tp=2\" {\nb0:\n"
                  "  %4 = op mm(%x, %y)\n"
                  "  %5 = out_partial %4 on %tp\n"
                  "  %6 = out_partial %5 on %pp\n  ->\n}\n"),
            (Lines{"%4 = [B, N]", "%5 = [B, N]", "%6 = [B, N]"}));
}

TEST(Global, WhatIsLeftOfAViewIsOneGroup) {
  const auto View = [](llvm::StringRef Sizes) {
    return infer(("func @g(%x: \"[B@dp, S, 3*D@tp]\") global {\nb0:\n"
                  "  %1 = op view(%x) [size={" +
                  Sizes + "}] @2:3\n  ->\n}\n")
                     .str());
  };
  EXPECT_EQ(View("%x[0], %x[1], heads, 3, size"),
            Lines{"%1 = [B@dp, S, D/size@tp, 3, size]"});
  EXPECT_EQ(View("%x[0], %x[1], 3, heads, size"),
            Lines{"%1 = [B@dp, S, 3*D/heads/size@tp, heads, size]"});
  // What of which dim is in `rows` nobody knows.
  EXPECT_EQ(View("rows, heads, size"), Lines{});
}

} // namespace
