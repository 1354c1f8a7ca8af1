//===- SuggestTest.cpp - What is suggested for functions ------------------===//

#include "spmd/sharding/Suggest.h"

#include "spmd/ir/IRText.h"
#include "spmd/ir/Inline.h"

#include "gtest/gtest.h"

using namespace spmd;
using namespace spmd::sharding;

namespace {

/// "dp=8, tp=8" with links of their own in GB/s.
CostModel onMesh(llvm::StringRef Mesh, llvm::ArrayRef<double> Bandwidths = {}) {
  CostModel Out;
  Out.Mesh =
      llvm::cantFail(planner::meshOf(llvm::cantFail(rules::parseMesh(Mesh))));
  for (std::size_t A = 0; A != Bandwidths.size(); ++A)
    Out.Mesh.All[A].Own = {10e-6, 1e-9 / Bandwidths[A]};
  return Out;
}

struct Answer {
  std::map<std::string, std::string> Types; ///< by name, "result"
  std::vector<std::string> Moves; ///< "h: all_gather / reduce_scatter"
  Suggestion S;
  std::string Error;
};

Answer suggest(llvm::StringRef Text, const CostModel &Costs,
               const SuggestOptions &Options = {}) {
  Answer Out;
  static std::vector<std::unique_ptr<rules::Module>> Modules;
  llvm::Expected<rules::Module> M =
      rules::parseModule(Text, rules::OpCatalogue::builtin());
  if (!M) {
    Out.Error = llvm::toString(M.takeError());
    return Out;
  }
  Modules.push_back(std::make_unique<rules::Module>(std::move(*M)));
  static std::vector<std::unique_ptr<rules::InlinedFunction>> Inlined;
  Inlined.push_back(std::make_unique<rules::InlinedFunction>(
      rules::inlineCalls(*Modules.back()->Functions[0], *Modules.back())));
  llvm::Expected<Suggestion> S =
      suggestSharding(Inlined.back()->F, Costs, Options);
  if (!S) {
    Out.Error = llvm::toString(S.takeError());
    return Out;
  }
  Out.S = std::move(*S);
  for (const SuggestedType &T : Out.S.Types)
    Out.Types[T.Name.empty() ? "result" : T.Name] = T.Is;
  if (getenv("SHOW"))
    llvm::errs() << describe(Out.S, [&](rules::PlaceId P) {
      const rules::Place At = Out.S.Of.F->Places[index(P)];
      return std::to_string(At.Line) + ":" + std::to_string(At.Column);
    });
  return Out;
}

constexpr const char *Block = R"(
func @block(%x: "bf16[B, S, H]" !1:1, %n1: "bf16[H]" !1:2, %b1: "bf16[H]" !1:3, %qkv: "bf16[H, 3*H]" !1:4, %out: "bf16[H, H]" !1:5, %n2: "bf16[H]" !1:6, %b2: "bf16[H]" !1:7, %up: "bf16[H, 4*H]" !1:8, %down: "bf16[4*H, H]" !1:9) -> "bf16[B, S, H]" !1:10 global {
b0:
  %32 = constant
  %9 = op layer_norm(input=%x !2:1, weight=%n1 !2:2, bias=%b1 !2:3) [normalized_shape={%x[-1]}] @2:4
  %10 = op matmul(self=%9 !3:1, other=%qkv !3:2) @3:3
  %11 = op view(self=%10 !4:1) [size={%10[0], %10[1], -1, 3, 128}] @4:2
  %12 = op permute(self=%11 !5:1) [dims={3, 0, 2, 1, 4}] @5:2
  %13 = op select(self=%12 !6:1) [dim=0, index=0] @6:2
  %14 = op select(self=%12 !7:1) [dim=0, index=1] @7:2
  %15 = op select(self=%12 !8:1) [dim=0, index=2] @8:2
  %16 = op transpose(self=%14 !9:1) [dim0=-2, dim1=-1] @9:2
  %17 = op matmul(self=%13 !10:1, other=%16 !10:2) @10:3
  %18 = op div(self=%17 !11:1, other=%32 scalar) @11:2
  %19 = op softmax(self=%18 !12:1) [dim=-1] @12:2
  %20 = op matmul(self=%19 !13:1, other=%15 !13:2) @13:3
  %21 = op transpose(self=%20 !14:1) [dim0=1, dim1=2] @14:2
  %22 = op flatten(self=%21 !15:1) [start_dim=2, end_dim=-1] @15:2
  %23 = op matmul(self=%22 !16:1, other=%out !16:2) @16:3
  %24 = op dropout(input=%23 !17:1) [train=true] @17:2
  %25 = op add(self=%x !18:1, other=%24 !18:2) @18:3
  %26 = op layer_norm(input=%25 !19:1, weight=%n2 !19:2, bias=%b2 !19:3) [normalized_shape={%25[-1]}] @19:4
  %27 = op matmul(self=%26 !20:1, other=%up !20:2) @20:3
  %28 = op gelu(self=%27 !21:1) [approximate="none"] @21:2
  %29 = op matmul(self=%28 !22:1, other=%down !22:2) @22:3
  %30 = op dropout(input=%29 !23:1) [train=true] @23:2
  %31 = op add(self=%25 !24:1, other=%30 !24:2) @24:3
  return %31 !25:1 @25:2
  ->
}
)";

SuggestOptions sizes(std::initializer_list<std::pair<const char *, int>> Of) {
  SuggestOptions Out;
  for (const auto &[Name, Size] : Of)
    Out.Graph.Sizes[Name] = Size;
  return Out;
}

/// "h: all_gather over tp / reduce_scatter over tp", of each redistribution.
std::vector<std::string> movesOf(const Suggestion &S, bool Gradients) {
  const auto Steps = [&](const planner::Plan &P) {
    std::string Out;
    for (const planner::Step &X : P.Steps) {
      Out += (Out.empty() ? "" : ", ") + std::string(planner::stepName(X.K));
      for (planner::AxisIndex A : X.Over)
        Out += " " + S.Mesh.All[A].Name;
    }
    return Out;
  };
  std::vector<std::string> Out;
  for (const Transition &T : S.Transitions)
    if (T.IsGradient == Gradients)
      Out.push_back(Gradients ? T.Name + ": " + Steps(T.Backward)
                              : T.Name + ": " + Steps(T.Forward) + " / " +
                                    Steps(T.Backward));
  return Out;
}

using Lines = std::vector<std::string>;
using Types = std::map<std::string, std::string>;

CostModel twoLevels(unsigned Accumulate) {
  CostModel Costs = onMesh("dp=8, tp=8", {25, 300});
  Costs.Accumulate = Accumulate;
  return Costs;
}

TEST(Suggest, MegatronWithSequenceParallelism) {
  const Answer A = suggest(Block, twoLevels(8),
                           sizes({{"B", 8}, {"S", 2048}, {"H", 12288}}));
  ASSERT_EQ(A.Error, "");
  EXPECT_EQ(A.Types, (Types{{"x", "bf16[B@dp, S@tp, H]"},
                            {"n1", "bf16[H]{dp: R, tp: R}"},
                            {"b1", "bf16[H]{dp: R, tp: R}"},
                            {"qkv", "bf16[H, 3*H@tp]{dp: R}"},
                            {"out", "bf16[H@tp, H]{dp: R}"},
                            {"n2", "bf16[H]{dp: R, tp: R}"},
                            {"b2", "bf16[H]{dp: R, tp: R}"},
                            {"up", "bf16[H, 4*H@tp]{dp: R}"},
                            {"down", "bf16[4*H@tp, H]{dp: R}"},
                            {"result", "bf16[B@dp, S@tp, H]"}}));
  EXPECT_EQ(movesOf(A.S, false),
            (Lines{"layer_norm: all_gather tp / reduce_scatter tp",
                   "matmul: reduce_scatter tp / all_gather tp",
                   "layer_norm: all_gather tp / reduce_scatter tp",
                   "matmul: reduce_scatter tp / all_gather tp"}));
  EXPECT_EQ(movesOf(A.S, true),
            (Lines{"n1: all_reduce dp tp", "b1: all_reduce dp tp",
                   "qkv: all_reduce dp", "out: all_reduce dp",
                   "n2: all_reduce dp tp", "b2: all_reduce dp tp",
                   "up: all_reduce dp", "down: all_reduce dp"}));
  EXPECT_TRUE(A.S.IsExact);
  EXPECT_LT(A.S.Time.total(), A.S.DataParallel.total());
}

TEST(Suggest, WithoutAccumulationTheGradientsTakeTheFastLinks) {
  const Answer A = suggest(Block, twoLevels(1),
                           sizes({{"B", 8}, {"S", 2048}, {"H", 12288}}));
  ASSERT_EQ(A.Error, "");
  EXPECT_EQ(A.Types.at("x"), "bf16[B@tp, S@dp, H]");
  EXPECT_TRUE(llvm::StringRef(A.Types.at("up")).contains("4*H@dp"));
}

constexpr const char *Mlp = R"(
func @mlp(%x: "f32[B, D]" !1:1, %up: "f32[D, E]" !1:2, %down: "f32[E, D]" !1:3) -> "f32[B, D]" !1:4 global {
b0:
  %3 = op matmul(self=%x !2:1, other=%up !2:2) @2:3
  %4 = op relu(self=%3 !3:1) @3:2
  %5 = op matmul(self=%4 !4:1, other=%down !4:2) @4:3
  return %5 !5:1 @5:2
  ->
}
)";

TEST(Suggest, SmallModelsWithLargeBatchesAreDataParallel) {
  const Answer A = suggest(Mlp, onMesh("dp=8, tp=4"),
                           sizes({{"B", 1 << 16}, {"D", 256}, {"E", 1024}}));
  ASSERT_EQ(A.Error, "");
  EXPECT_EQ(A.Types, (Types{{"x", "f32[B@(dp,tp), D]"},
                            {"up", "f32[D, E]{dp: R, tp: R}"},
                            {"down", "f32[E, D]{dp: R, tp: R}"},
                            {"result", "f32[B@(dp,tp), D]"}}));
  EXPECT_EQ(movesOf(A.S, false), Lines());
  EXPECT_EQ(A.S.DataParallelAxes, "(dp,tp)");
  EXPECT_DOUBLE_EQ(A.S.Time.total(), A.S.DataParallel.total());
}

TEST(Suggest, OneRankNeedsNothing) {
  const Answer A =
      suggest(Mlp, onMesh("dp=1"), sizes({{"B", 8}, {"D", 16}, {"E", 64}}));
  ASSERT_EQ(A.Error, "");
  EXPECT_EQ(A.Types.at("x"), "f32[B, D]");
  EXPECT_TRUE(A.S.Transitions.empty());
  EXPECT_EQ(A.S.Time.Forward.Communication, 0);
  EXPECT_EQ(A.S.DataParallelAxes, "");
}

TEST(Suggest, WhatAnAnnotationSaysOfAnAxisStays) {
  std::string Text = Mlp;
  const auto Replace = [&](llvm::StringRef Old, llvm::StringRef New) {
    Text.replace(Text.find(Old.str()), Old.size(), New.str());
  };
  Replace("f32[D, E]", "f32[D@tp, E]");
  Replace("f32[B, D]", "f32[B, D]{dp: I}");
  const Answer A = suggest(Text, onMesh("dp=2, tp=2"),
                           sizes({{"B", 1 << 16}, {"D", 256}, {"E", 1024}}));
  ASSERT_EQ(A.Error, "");
  EXPECT_TRUE(llvm::StringRef(A.Types.at("up")).starts_with("f32[D@"));
  EXPECT_TRUE(llvm::StringRef(A.Types.at("x")).contains("dp: I"));
  // The result is the next layer's input.
  EXPECT_EQ(A.Types.at("result"), "f32[B@tp, D]{dp: I}");
}

TEST(Suggest, ShortMemoryShardsWeights) {
  CostModel Costs = onMesh("dp=8");
  Costs.Accumulate = 16; // so that it does not pay to gather them each time
  const SuggestOptions Options =
      sizes({{"B", 1 << 16}, {"D", 1024}, {"E", 4096}});
  const Answer Free = suggest(Mlp, Costs, Options);
  ASSERT_EQ(Free.Error, "");
  EXPECT_EQ(Free.Types.at("up"), "f32[D, E]{dp: R}");
  // What ops make is there in any case, and so is half of the weights.
  Costs.MemoryBytes = Free.S.MemoryBytes - 75e6;
  const Answer A = suggest(Mlp, Costs, Options);
  ASSERT_EQ(A.Error, "");
  EXPECT_TRUE(A.S.FitsMemory);
  EXPECT_LE(A.S.MemoryBytes, *Costs.MemoryBytes);
  EXPECT_NE(A.Types.at("up"), Free.Types.at("up"));
  ASSERT_TRUE(A.S.LowerBound);
  EXPECT_GE(A.S.Time.total(), Free.S.Time.total());
  EXPECT_LE(*A.S.LowerBound, A.S.Time.total() * (1 + 1e-9));

  Costs.MemoryBytes = 1;
  EXPECT_FALSE(suggest(Mlp, Costs, Options).S.FitsMemory);
}

TEST(Suggest, LargeTablesAreSearchedByABeam) {
  SuggestOptions Options = sizes({{"B", 8}, {"S", 2048}, {"H", 12288}});
  const Answer Exact = suggest(Block, twoLevels(8), Options);
  Options.Limits.MaxEntries = 5000;
  const Answer A = suggest(Block, twoLevels(8), Options);
  ASSERT_EQ(A.Error, "");
  EXPECT_FALSE(A.S.IsExact);
  EXPECT_GE(A.S.Time.total(), Exact.S.Time.total() * (1 - 1e-9));
  EXPECT_LE(A.S.Time.total(), 1.5 * Exact.S.Time.total());
}

TEST(Suggest, ManyAxesAreSearchedAFewAtATime) {
  CostModel Costs = onMesh("dp=2, cp=2, tp=2", {25, 100, 300});
  SuggestOptions Options = sizes({{"B", 64}, {"D", 4096}, {"E", 16384}});
  Options.Limits.MaxOptions = 50;
  const Answer A = suggest(Mlp, Costs, Options);
  ASSERT_EQ(A.Error, "");
  EXPECT_FALSE(A.S.IsExact);
  EXPECT_LE(A.S.Time.total(), A.S.DataParallel.total());
  // Here nothing better is missed.
  Options.Limits = {};
  const Answer Exact = suggest(Mlp, Costs, Options);
  EXPECT_TRUE(Exact.S.IsExact);
  EXPECT_NEAR(A.S.Time.total() / Exact.S.Time.total(), 1, 1e-9);
}

TEST(Suggest, StackedLayersAreExactOnTwoAxes) {
  std::string Parameters = "%x: \"bf16[B, S, H]\"", Body, Last = "%x";
  for (const std::string Layer : {"1", "2"}) {
    std::string Given = Last;
    for (const auto &[Name, Dims] :
         std::initializer_list<std::pair<const char *, const char *>>{
             {"n", "H"},
             {"b", "H"},
             {"qkv", "H, 3*H"},
             {"out", "H, H"},
             {"m", "H"},
             {"c", "H"},
             {"up", "H, 4*H"},
             {"down", "4*H, H"}}) {
      const std::string Weight = "%" + (Name + Layer);
      Parameters += ", " + Weight + ": \"bf16[" + Dims + "]\"";
      Given += ", " + Weight;
    }
    Last = "%2" + Layer;
    Body += "  " + Last + " = call @block(" + Given + ")\n";
  }
  const Answer A = suggest(
      "func @stack(" + Parameters + ") -> \"bf16[B, S, H]\" global {\nb0:\n" +
          Body + "  return " + Last + "\n  ->\n}\n" + Block,
      twoLevels(8), sizes({{"B", 8}, {"S", 2048}, {"H", 12288}}));
  ASSERT_EQ(A.Error, "");
  EXPECT_EQ(A.S.Of.Nodes.size(), 46u);
  EXPECT_TRUE(A.S.IsExact);
  EXPECT_EQ(A.Types.at("up1"), "bf16[H, 4*H@tp]{dp: R}");
  EXPECT_EQ(A.Types.at("up2"), "bf16[H, 4*H@tp]{dp: R}");
}

/// The same function as Mlp, of which the second half is called.
constexpr const char *Calling = R"(
func @mlp(%x: "f32[B, D]" !1:1, %up: "f32[D, E]" !1:2, %down: "f32[E, D]" !1:3) -> "f32[B, D]" !1:4 global {
b0:
  %3 = op matmul(self=%x !2:1, other=%up !2:2) @2:3
  %4 = call @half(%3 !4:1, %down !4:2) @4:3
  return %4 !5:1 @5:2
  ->
}
func @half(%h: "f32[N, M]" !7:1, %w !7:2) -> "f32[N, K]" !7:3 {
b0:
  %2 = op relu(self=%h !8:1) @8:2
  %3 = op matmul(self=%2 !9:1, other=%w !9:2) @9:3
  return %3 !10:1 @10:2
  ->
}
)";

TEST(Suggest, CallsAreFollowed) {
  const SuggestOptions Options = sizes({{"B", 1}, {"D", 4096}, {"E", 16384}});
  const Answer Whole = suggest(Mlp, onMesh("tp=4"), Options);
  const Answer A = suggest(Calling, onMesh("tp=4"), Options);
  ASSERT_EQ(A.Error, "");
  EXPECT_DOUBLE_EQ(A.S.Time.total(), Whole.S.Time.total());
  Types Expected = Whole.Types;
  EXPECT_EQ(Expected.at("up"), "f32[D, E@tp]");
  Expected["half: h"] = "f32[N, M@tp]";
  Expected["half: result"] = "f32[N, K]{tp: I}";
  EXPECT_EQ(A.Types, Expected);
  EXPECT_EQ(movesOf(A.S, false), movesOf(Whole.S, false));
}

TEST(Suggest, WhatACalleeSaysOfAnAxisStays) {
  std::string Text = Calling;
  Text.replace(Text.find("[N, M]"), 6, "[N@tp, M]");
  const Answer A = suggest(Text, onMesh("tp=4"),
                           sizes({{"B", 4}, {"D", 4096}, {"E", 16384}}));
  ASSERT_EQ(A.Error, "");
  EXPECT_EQ(A.Types.at("half: h"), "f32[N@tp, M]");
  Text.replace(Text.find("[N@tp, M]"), 9, "[N@tp]");
  EXPECT_EQ(suggest(Text, onMesh("tp=4"),
                    sizes({{"B", 4}, {"D", 4096}, {"E", 16384}}))
                .Error,
            "'matmul' has 2 dims, its annotation 1");
}

/// One of two ways, early returns, a loop and what throws.
constexpr const char *Looping = R"(
func @f(%x: "f32[B, D]" !1:1, %w: "f32[D, D]" !1:2) -> "f32[B, D]" !1:3 global {
  slot %y local
b0:
  %y = bind %x
  -> b1 b2
b1:
  %3 = op gelu(self=%x !2:1) [approximate="none"] @2:2
  %y = bind %3
  -> b3
b2:
  -> b3 b6
b3:
  -> b4 b5
b4:
  %4 = op matmul(self=%y !3:1, other=%w !3:2) @3:3
  %y = bind %4
  -> b3
b5:
  return %y !4:1 @4:2
  ->
b6:
  -> b6
}
)";

TEST(Suggest, AllWaysAreTakenAndLoopsOnce) {
  const Answer A =
      suggest(Looping, onMesh("tp=4"), sizes({{"B", 1}, {"D", 4096}}));
  ASSERT_EQ(A.Error, "");
  std::vector<std::string> Nodes;
  for (const Node &N : A.S.Of.Nodes)
    Nodes.push_back(N.Joins ? "join of " + std::to_string(N.Operands.size())
                            : N.Name);
  // The two ways, then the begin and the end of the loop.
  EXPECT_EQ(Nodes, (Lines{"gelu", "join of 2", "join of 2", "matmul"}));
  std::vector<std::string> Notes;
  for (const Note &N : A.S.Of.Notes)
    Notes.push_back(N.Message);
  EXPECT_EQ(Notes,
            (Lines{"this is one of several ways: all are counted as if they "
                   "were taken",
                   "this is in a loop: its body is counted once"}));
  EXPECT_TRUE(A.S.IsExact);
}

TEST(Suggest, OpsWithoutRulesNeedWholeTensors) {
  const Answer A = suggest(R"ir(
rule mystery(x) = "nonlinear(x)"
func @f(%x: "f32[B, D]" !1:1, %w: "f32[D, D]" !1:2) global {
b0:
  %2 = op matmul(self=%x !2:1, other=%w !2:2) @2:3
  %3 = op mystery(x=%2 !3:1) @3:2
  ->
}
)ir",
                           onMesh("dp=8"), sizes({{"B", 64}, {"D", 64}}));
  ASSERT_EQ(A.Error, "");
  ASSERT_EQ(A.S.Of.Notes.size(), 1u);
  EXPECT_EQ(A.S.Of.Notes[0].Message,
            "'mystery' has no rule for dims: it is taken to need whole "
            "tensors, and to take no time");
}

TEST(Suggest, SaysWhatIsMissing) {
  const CostModel Costs = onMesh("dp=2");
  EXPECT_EQ(suggest(Mlp, Costs, sizes({{"B", 8}, {"D", 8}})).Error,
            "the size of 'E' is not known: give it as --size=E=<number>, or "
            "under Sizes in .spmd-tidy");
  EXPECT_EQ(suggest("func @f(%x: \"dp: R\") global {\nb0:\n  %1 = op "
                    "relu(self=%x)\n  ->\n}\n",
                    Costs)
                .Error,
            "no parameter of 'f' says its dims, as in [[spmd::type(\"[B, S, "
            "H]\")]]");
  SuggestOptions Options = sizes({{"B", 7}, {"D", 8}, {"E", 8}});
  EXPECT_EQ(suggest(Mlp, Costs, Options).Error, "");
  Options.Graph.Batch = "N";
  EXPECT_EQ(suggest(Mlp, Costs, Options).Error,
            "no parameter has the batch dim 'N'");
  std::string Uneven = Mlp;
  Uneven.replace(Uneven.find("[B, D]"), 6, "[B@dp, D]");
  Options.Graph.Batch.clear();
  EXPECT_EQ(suggest(Uneven, Costs, Options).Error,
            "'x' does not divide as its annotation says");
}

TEST(Suggest, EndsWithItsBudget) {
  SuggestOptions Options = sizes({{"B", 8}, {"S", 512}, {"H", 1536}});
  std::optional<double> Without;
  for (const double Steps : {0.0, 1e8, 1e12}) {
    Options.MaxSteps = Steps;
    const Answer A = suggest(Block, onMesh("dp=4, cp=2, tp=2"), Options);
    ASSERT_EQ(A.Error, "");
    EXPECT_EQ(A.S.IsCutOff, Steps != 1e12);
    EXPECT_FALSE(A.S.IsExact);
    EXPECT_LE(A.S.Time.total(), A.S.DataParallel.total() * (1 + 1e-9));
    EXPECT_LE(A.S.Time.total(), Without.value_or(1));
    Without = A.S.Time.total();
    const std::string Text =
        describe(A.S, [](rules::PlaceId) { return std::string(); });
    EXPECT_EQ(Text.find("the search was cut off") != std::string::npos,
              A.S.IsCutOff);
  }
}
TEST(Suggest, DecidedAxesNeedNotDoTheSame) {
  std::string Text = Block;
  const llvm::StringRef Free = "%x: \"bf16[B, S, H]\"";
  Text.replace(Text.find(Free), Free.size(),
               "%x: \"bf16[B@dp, S@cp, H]{tp: R}\"");
  const Answer A = suggest(Text, onMesh("dp=4, cp=2, tp=2"),
                           sizes({{"B", 8}, {"S", 512}, {"H", 1536}}));
  ASSERT_EQ(A.Error, "");
  EXPECT_EQ(A.Types.at("x"), "bf16[B@dp, S@cp, H]{tp: R}");
  EXPECT_FALSE(A.S.IsCutOff);
}

} // namespace
