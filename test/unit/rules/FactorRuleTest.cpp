//===- FactorRuleTest.cpp - The factors of one call -----------------------===//
//
// Length: one table of calls, a test for each kind of shape rule.
//
//===----------------------------------------------------------------------===//

#include "spmd/ops/FactorRule.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

constexpr const char *Kinds[] = {"rank",        "dimension", "size",
                                 "contraction", "addend",    "missing",
                                 "order",       "repeated",  "needs-whole",
                                 "across-view", "uneven",    "not-partial"};

/// Ranks: dp=2, tp=4, and what is added to or taken from them.
struct Mesh {
  std::vector<std::pair<std::string, int>> Axes = {
      {"dp", 2}, {"tp", 4}, {"one", 1}, {"any", 0}};
};

/// An op in the text form of the IR and the specs of %0, %1...; "" for one of
/// which nothing is known.
class Call {
public:
  Call(llvm::StringRef Op, std::vector<std::string> Specs,
       std::vector<std::string> OutPartial = {},
       std::vector<std::string> Pending = {}) {
    for (const auto &[Name, Size] : Mesh().Axes)
      Table.All.push_back(
          {Name, Size ? Extent::number(Size) : Extent::variable(Name)});
    std::string Text = "func @f(";
    for (std::size_t I = 0; I != Specs.size(); ++I)
      Text += (I ? ", %" : "%") + std::to_string(I) + ": \"" + Specs[I] + "\"";
    Text += ") {\nb0:\n  %" + std::to_string(Specs.size()) + " = op " +
            Op.str() + "\n  ->\n}\n";
    llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
    if (!M) {
      Result = "parse error: " + llvm::toString(M.takeError());
      return;
    }
    run(*M, OutPartial, Pending);
  }

  std::string Result;

private:
  std::optional<AxisId> axis(llvm::StringRef Name) const {
    for (AxisId A = 0; A != Table.All.size(); ++A)
      if (Table.All[A].Name == Name)
        return A;
    return std::nullopt;
  }

  void run(const Module &M, llvm::ArrayRef<std::string> OutPartial,
           llvm::ArrayRef<std::string> PendingOn) {
    const Function &F = *M.Functions.front();
    std::vector<PartitionSpec> Specs;
    for (unsigned I = 0; I != F.NumParameters; ++I)
      Specs.push_back(specOf(*F.slot(SlotId(I)).Declared->Entry.Global,
                             [&](llvm::StringRef Name) { return axis(Name); }));
    const auto &O = std::get<OpFact>(F.Blocks.front().Facts.front());
    std::vector<const PartitionSpec *> Operands;
    for (const Operand &X : O.Operands)
      Operands.push_back(X.Scalar ? nullptr
                                  : &Specs[static_cast<unsigned>(X.Slot)]);
    const auto SizeOf = [&](const SizeTerm &T) {
      if (T.Tensor == SlotId::None)
        return Extent::variable(T.Variable);
      const PartitionSpec &S = Specs[static_cast<unsigned>(T.Tensor)];
      const int D = T.Dim < 0 ? T.Dim + static_cast<int>(S.rank()) : T.Dim;
      const Extent Size = localSize(S.Dims[D], Table);
      return Size.isKnown() || T.Tensor != SlotId(0)
                 ? Size
                 : unknownSize(static_cast<unsigned>(D));
    };
    ShapedCall C;
    C.Op = O.Rule;
    C.FormalOf = O.FormalOf;
    C.Operands = Operands;
    C.Arguments = O.Arguments;
    C.SizeOf = SizeOf;
    C.Axes = &Table;
    if (O.WritesTo != SlotId::None)
      C.Written = &Specs[static_cast<unsigned>(O.WritesTo)];
    llvm::SmallVector<AxisId, 2> Partial;
    for (const std::string &Name : OutPartial)
      Partial.push_back(*axis(Name));
    std::vector<DimAxes> Pending(Operands.size());
    for (const std::string &P : PendingOn) // "0 tp"
      Pending[P[0] - '0'].push_back(*axis(llvm::StringRef(P).drop_front(2)));

    const FactorRuleOr Rule = factorRuleOf(C);
    if (const auto *V = std::get_if<SpecViolation>(&Rule))
      return wrong(*V);
    if (const auto *U = std::get_if<Undecided>(&Rule)) {
      Result = "undecided: " + U->On;
      return;
    }
    const auto Out = propagate(std::get<FactorRule>(Rule), C, Partial, Pending);
    if (const auto *V = std::get_if<SpecViolation>(&Out))
      return wrong(*V);
    const auto &P = std::get<Propagation>(Out);
    Result = printFactorRule(std::get<FactorRule>(Rule));
    if (std::get<FactorRule>(Rule).HasResult)
      Result += " = " + printSpec(P.Result, Table);
    if (!P.Partial.empty())
      Result += " P " + Table.print(P.Partial);
  }

  void wrong(const SpecViolation &V) {
    Result = std::string(Kinds[static_cast<int>(V.K)]) + " " +
             printFactorRule(V.Rule, V.Factor);
    if (!V.Argument.empty())
      Result += " " + V.Argument;
    if (V.Axis)
      Result += " on " + Table.All[*V.Axis].Name;
  }

  AxisTable Table;
};

std::string call(llvm::StringRef Op, std::vector<std::string> Specs,
                 std::vector<std::string> OutPartial = {},
                 std::vector<std::string> Pending = {}) {
  return Call(Op, std::move(Specs), std::move(OutPartial), std::move(Pending))
      .Result;
}

TEST(FactorRule, ConvolutionAddsUpChannels) {
  EXPECT_EQ(call("conv2d(%0, %1)", {"[N@dp, C, 8, 8]", "[O@tp, C, 3, 3]"}),
            "n c i k, o c m p -> n o j l = [N@dp, O@tp, _, _]");
  EXPECT_EQ(call("conv2d(%0, %1)", {"[N@dp, C@tp, 8, 8]", "[O, C@tp, 3, 3]"}),
            "contraction n [c] i k, o [c] m p -> n o j l on tp");
  EXPECT_EQ(
      call("conv2d(%0, %1)", {"[N@dp, C@tp, 8, 8]", "[O, C@tp, 3, 3]"}, {"tp"}),
      "n c i k, o c m p -> n o j l = [N@dp, O, _, _] P tp");
  EXPECT_EQ(call("conv2d(%0, %1, %2)",
                 {"[N@dp, C@tp, 8, 8]", "[O, C@tp, 3, 3]", "[O]"}, {"tp"}),
            "needs-whole n [c] i k, o [c] m p, o -> n o j l on tp");
  EXPECT_EQ(call("conv2d(%0, %1, %2) [groups=2]",
                 {"[N@dp, 8, 8, 8]", "[O@tp, 4, 3, 3]", "[O@tp]"}),
            "needs-whole n i k m, [o] j q r, [o] -> n [o] l p on tp");
  EXPECT_EQ(call("conv2d(%0, %1)", {"[C, 8@dp, 8]", "[O, C, 3, 3]"}),
            "needs-whole c [i] k, o c m n -> o j l on dp");
  EXPECT_EQ(call("conv_transpose2d(%0, %1, %2)",
                 {"[N@dp, C, 8, 8]", "[C, O@tp, 3, 3]", "[O@tp]"}),
            "n c i k, c o m p, o -> n o j l = [N@dp, O@tp, _, _]");
  EXPECT_EQ(call("conv2d(%0, %1) [options=?, groups=1]",
                 {"[N, C@tp, 8, 8]", "[O, C@tp, 3, 3]"}, {"tp"}),
            "undecided: options");
  EXPECT_EQ(
      call("conv2d(%0, %1) [options=?]", {"[N@dp, C, 8, 8]", "[O, C, 3, 3]"}),
      "undecided: options");
}

TEST(FactorRule, AttentionKeepsHeadsAndNeedsAllKeys) {
  const auto Attend = [](const char *Q, const char *KV,
                         const char *Arguments = "") {
    return call("scaled_dot_product_attention(%0, %1, %1) [" +
                    std::string(Arguments) + "]",
                {Q, KV});
  };
  EXPECT_EQ(Attend("[B@dp, H@tp, L, 64]", "[B@dp, H@tp, S, 64]"),
            "b h l i, b h s i, b h s j -> b h l j = [B@dp, H@tp, L, 64]");
  EXPECT_EQ(Attend("[B, H, L@tp, 64]", "[B, H, S, 64]"),
            "b h l i, b h s i, b h s j -> b h l j = [B, H, L@tp, 64]");
  EXPECT_EQ(Attend("[B, H, L@tp, 64]", "[B, H, S, 64]", "is_causal=true"),
            "needs-whole b h [l] i, b h s i, b h s j -> b h [l] j on tp");
  EXPECT_EQ(Attend("[B, H, L@tp, 64]", "[B, H, S, 64]", "is_causal=?"),
            "undecided: is_causal");
  EXPECT_EQ(Attend("[B@dp, H, L, 64]", "[B@dp, H, S, 64]", "is_causal=?"),
            "b h l i, b h s i, b h s j -> b h l j = [B@dp, H, L, 64]");
  EXPECT_EQ(Attend("[B, H, L, 64]", "[B, H, S@tp, 64]"),
            "needs-whole b h l i, b h [s] i, b h [s] j -> b h l j on tp");
  EXPECT_EQ(Attend("[B, 32@tp, L, 64]", "[B, 8@tp, S, 64]", "enable_gqa=true"),
            "b (i j) l k, b i s k, b i s m -> b (i j) l m = [B, 32@tp, L, 64]");
  EXPECT_EQ(Attend("[B, 32@tp, L, 64]", "[B, 8, S, 64]", "enable_gqa=true"),
            "missing b ([i] j) l k, b [i] s k, b [i] s m -> b ([i] j) l m on "
            "tp");
  EXPECT_EQ(Attend("[B, 32@tp, L, 64]", "[B, 1, S, 64]", "enable_gqa=true"),
            "b i l j, b 1 s j, b 1 s k -> b i l k = [B, 32@tp, L, 64]");
  EXPECT_EQ(Attend("[B, 32@tp, L, 64]", "[B, _, S, 64]", "enable_gqa=true"),
            "undecided: the number of heads");
  EXPECT_EQ(call("scaled_dot_product_attention(%0, %0, %0, %1)",
                 {"[B@dp, H@tp, S, 64]", "[1, 1, S, S]"}),
            "b h s i, b h j i, b h j k, 1 1 s j -> b h s k = "
            "[B@dp, H@tp, S, 64]");
}

TEST(FactorRule, LossesReduceTheirValues) {
  EXPECT_EQ(call("mse_loss(%0, %1) [reduction=0]", {"[B@dp, S]", "[B@dp, S]"}),
            "b s, b s -> b s = [B@dp, S]");
  EXPECT_EQ(call("mse_loss(%0, %1)", {"[B@dp, S]", "[B@dp, S]"}),
            "needs-whole [b] s, [b] s ->  on dp");
  EXPECT_EQ(call("mse_loss(%0, %1) [reduction=2]", {"[B@dp, S]", "[B@dp, S]"},
                 {"dp"}),
            "b s, b s ->  = [] P dp");
  EXPECT_EQ(call("mse_loss(%0, %1) [options=?]", {"[B@dp, S]", "[B@dp, S]"}),
            "undecided: options");
  EXPECT_EQ(call("cross_entropy_loss(%0, %1) [reduction=0]",
                 {"[B@dp, V, S]", "[B@dp, S]"}),
            "b v s, b s -> b s = [B@dp, S]");
  EXPECT_EQ(call("cross_entropy_loss(%0, %1, %2) [reduction=2]",
                 {"[B@dp, V]", "[B@dp]", "[V]"}, {"dp"}),
            "b v, b, v ->  = [] P dp");
  EXPECT_EQ(
      call("cross_entropy_loss(%0, %1) [reduction=0]", {"[B, V@tp]", "[B]"}),
      "needs-whole b [v], b -> b on tp");
  EXPECT_EQ(call("nll_loss(%0, %1) [reduction=0]", {"[V]", "[]"}),
            "v,  ->  = []");
  EXPECT_EQ(call("cross_entropy_loss(%0, %1) [reduction=0]",
                 {"[B@dp, V]", "[B@dp, V]"}),
            "b v, b v -> b = [B@dp]");
}

TEST(FactorRule, BatchNormNeedsSamplesInTraining) {
  EXPECT_EQ(call("batch_norm(%0, %1, %1) [training=false]",
                 {"[N@dp, C@tp, H]", "[C@tp]"}),
            "n c h, c, c -> n c h = [N@dp, C@tp, H]");
  EXPECT_EQ(call("batch_norm(%0, %1, %1) [training=true]",
                 {"[N@dp, C@tp, H]", "[C@tp]"}),
            "needs-whole [n] c h, c, c -> [n] c h on dp");
  EXPECT_EQ(call("batch_norm(%0, %1, %1) [training=?]",
                 {"[N@dp, C@tp, H]", "[C@tp]"}),
            "undecided: training");
}

TEST(FactorRule, RepeatedElementsStayOnTheirRank) {
  EXPECT_EQ(call("repeat_interleave(%0) [repeats=3, dim=0]", {"[8@tp, S]"}),
            "i s -> (i j) s = [24@tp, S]");
  EXPECT_EQ(call("repeat_interleave(%0) [repeats=?, dim=0]", {"[8@tp, S]"}),
            "i s -> (i j) s = [_@tp, S]");
  EXPECT_EQ(call("repeat_interleave(%0, %1) [dim=0]", {"[8@tp, S]", "[8]"}),
            "needs-whole [i] s, k -> j s on tp");
  EXPECT_EQ(call("repeat_interleave(%0) [repeats=2, dim=none]", {"[B@dp, 8]"}),
            "b i -> (b i j) = [16*B@dp]");
  EXPECT_EQ(call("repeat_interleave(%0) [repeats=2]", {"[B, 8@tp]"}),
            "across-view b [i] -> (b [i] j) on tp");
}

TEST(FactorRule, PaddingChangesTheLastDims) {
  EXPECT_EQ(call("pad(%0) [pad={1,2}]", {"[B@dp, 8]"}),
            "b i -> b j = [B@dp, 11]");
  EXPECT_EQ(call("pad(%0) [pad={0,0,1,1}]", {"[B, 8, S@tp]"}),
            "b i s -> b j s = [B, 10, S@tp]");
  EXPECT_EQ(call("pad(%0) [pad={1,0}]", {"[B, 8@tp]"}),
            "needs-whole b [i] -> b j on tp");
  EXPECT_EQ(call("pad(%0) [pad=?]", {"[B, 8@tp]"}), "undecided: pad");
  EXPECT_EQ(call("pad(%0) [pad={?,0}]", {"[B, 8@tp]"}), "undecided: pad");
}

TEST(FactorRule, NewTensorsMayBePartsOfAnyWhole) {
  EXPECT_EQ(call("full(%0) [size={4,8}]", {"[]"}), " -> i j = [_, _]");
  EXPECT_EQ(call("full(%0) [size=?]", {"[]"}), " -> ?");
  EXPECT_EQ(call("randn() [size={4,8}]", {"[]"}), " -> ?");
  EXPECT_EQ(call("normal(%0) ", {"[B@dp]"}), "b -> b = [B@dp]");
}

TEST(FactorRule, WritesKeepTheDimsOfTheStorage) {
  EXPECT_EQ(call("fill_(%1) into %0", {"[B@dp, S]", "[]"}),
            " -> b s = [B@dp, S]");
  EXPECT_EQ(call("zero_() into %0", {"[B@dp, 1]"}), " -> b 1 = [B@dp, 1]");
}

TEST(FactorRule, ListsOfTensors) {
  EXPECT_EQ(call("_foreach_add(%0, %1)", {"[B@dp, S]", "[B@dp, S]"}),
            "b s, b s -> b s = [B@dp, S]");
}

TEST(FactorRule, DimsOfSizeOneAreBroadcast) {
  EXPECT_EQ(call("addmm(%0, %1, %2)", {"[1, N@tp]", "[M@dp, K]", "[K, N@tp]"}),
            "1 n, m k, k n -> m n = [M@dp, N@tp]");
  EXPECT_EQ(call("addmm(%0, %1, %2)", {"[]", "[M@dp, K]", "[K, N@tp]"}),
            ", m k, k n -> m n = [M@dp, N@tp]");
  EXPECT_EQ(call("addmm(%0, %1, %2)", {"[N@tp]", "[M@dp, K]", "[K, N@tp]"}),
            "n, m k, k n -> m n = [M@dp, N@tp]");
  EXPECT_EQ(call("mm(%0, %1)", {"[1, K]", "[K, N@tp]"}),
            "1 k, k n -> 1 n = [1, N@tp]");
  EXPECT_EQ(call("_scaled_mm(%0, %1, scale_a=%2, scale_b=%3)",
                 {"[M@dp, K]", "[K, N@tp]", "[M@dp, 1]", "[1, N@tp]"}),
            "m k, k n, m 1, 1 n -> m n = [M@dp, N@tp]");
  EXPECT_EQ(call("_scaled_mm(%0, %1, scale_a=%2, scale_b=%3)",
                 {"[M@dp, K]", "[K, N@tp]", "[M@dp, _]", "[1, N@tp]"}),
            "undecided: the overload");
  // Of a dim of unknown size nobody knows whether it is broadcast.
  EXPECT_EQ(call("add(%0, %1)", {"[B@dp, S]", "[_, S]"}),
            "undecided: the size of a dim");
  EXPECT_EQ(call("add(%0, %1)", {"[B@dp, S]", "[_@dp, S]"}),
            "b s, b s -> b s = [B@dp, S]");
}

TEST(FactorRule, ParametersMayBeInOptions) {
  EXPECT_EQ(call("softmax(%0) [options=?]", {"[B, S@tp]"}),
            "undecided: options");
  EXPECT_EQ(call("softmax(%0) [options=?, dim=0]", {"[B, S@tp]"}),
            "b s -> b s = [B, S@tp]");
}

std::string view(const char *Spec, const char *Sizes) {
  return call("view(%0) [size={" + std::string(Sizes) + "}]", {Spec});
}

TEST(FactorRule, ViewsThatSplit) {
  EXPECT_EQ(view("[B@dp, S, H]", "%0[0],%0[1],heads,-1"),
            "b s (i j) -> b s i j = [B@dp, S, heads, H/heads]");
  EXPECT_EQ(view("[B@dp, S, 3*H@tp]", "%0[0],-1,3,%0[2]/3"),
            "b s (j k) -> b s j k = [B@dp, S, 12@tp, H/4]");
  EXPECT_EQ(view("[8@dp, S, 64@tp]", "4,%0[1],4,4"),
            "i s (k l) -> i s k l = [8@dp, S, 16@tp, 4]");
  EXPECT_EQ(view("[8@dp, S, 64@tp]", "4,-1,2,8"),
            "i s (k l) -> i s k l = [8@dp, S, 8@tp, 8]");
  EXPECT_EQ(view("[B@any, S, 64]", "%0[0],-1,8,8"),
            "b s (j k) -> b s j k = [B@any, S, 8, 8]");
  EXPECT_EQ(view("[_@dp, S, 64]", "-1,%0[1],8,8"),
            "i s (k l) -> i s k l = [_@dp, S, 8, 8]");
  EXPECT_EQ(view("[_@dp, _, 64]", "-1,%0[1],8,8"),
            "i j (l m) -> i j l m = [_@dp, _, 8, 8]");
  EXPECT_EQ(view("[B@dp, S]", "n,-1,%0[1]"),
            "(i j) s -> i j s = [2*n@dp, B/2/n, S]");
  EXPECT_EQ(view("[16@(dp,tp), S]", "1,2,%0[1]"),
            "i s -> 1 i s = [1, 16@(dp,tp), S]");
  // Sub-axes: a part that is as large as the axis has one element per rank.
  EXPECT_EQ(call("unflatten(%0) [dim=0, sizes={2,-1}]", {"[16@dp, S]"}),
            "(j k) s -> j k s = [4@dp, 4, S]");
  EXPECT_EQ(call("unflatten(%0) [dim=1, sizes={heads,-1}]", {"[B, H@tp]"}),
            "b (i j) -> b i j = [B, 4*heads@tp, H/4/heads]");
}

TEST(FactorRule, ViewsThatJoin) {
  EXPECT_EQ(view("[B@dp, S, H]", "%0[0]*%0[1],%0[2]"),
            "b s h -> (b s) h = [B*S@dp, H]");
  EXPECT_EQ(view("[B@dp, S, H]", "-1,%0[2]"), "b s h -> (b s) h = [B*S@dp, H]");
  EXPECT_EQ(view("[B, S@tp, H]", "-1,%0[2]"),
            "across-view b [s] h -> (b [s]) h on tp");
  EXPECT_EQ(view("[_, S@tp, H]", "-1,%0[2]"),
            "undecided: the sizes of its dims");
  EXPECT_EQ(view("[1, S@tp, H]", "-1,%0[2]"), "1 s h -> s h = [S@tp, H]");
  EXPECT_EQ(view("[2@dp, 8@tp, H]", "2,%0[2]"),
            "i j h -> (i j) h = [16@(dp,tp), H]");
  EXPECT_EQ(view("[4@dp, 8@tp, H]", "4,%0[2]"),
            "across-view i [j] h -> (i [j]) h on tp");
  EXPECT_EQ(view("[B@dp, S]", "-1"), "b s -> (b s) = [B*S@dp]");
  EXPECT_EQ(call("flatten(%0) [start_dim=0, end_dim=1]", {"[B@dp, S, H]"}),
            "b s h -> (b s) h = [B*S@dp, H]");
  EXPECT_EQ(call("flatten(%0) [start_dim=0, end_dim=1]", {"[B, S@tp, H]"}),
            "across-view b [s] h -> (b [s]) h on tp");
  EXPECT_EQ(call("flatten(%0) [start_dim=0, end_dim=1]", {"[n, S@tp, H]"}),
            "across-view n [s] h -> (n [s]) h on tp");
  EXPECT_EQ(call("flatten(%0) ", {"[]"}), " -> 1 = [1]");
}

TEST(FactorRule, ViewsThatRegroup) {
  EXPECT_EQ(view("[4, 1, 4@tp]", "1,4,1"), "i 1 j -> 1 i j = [1, 4, 4@tp]");
  EXPECT_EQ(view("[6, 4]", "8,3"), "i j -> k l = [8, 3]");
  EXPECT_EQ(view("[6@dp, 4]", "4,3"), "(k l) j -> (k m) n = [8@dp, 3]");
  EXPECT_EQ(view("[6, 4@dp]", "4,3"), "needs-whole i [j] -> k l on dp");
  EXPECT_EQ(view("[6@dp, 4]", "8,3"), "undecided: the sizes of its dims");
  EXPECT_EQ(view("[B@dp, 4, 6]", "%0[0],8,3"), "b i j -> b k l = [B@dp, 8, 3]");
  EXPECT_EQ(view("[B@dp, 4@tp, 6]", "%0[0],3,2"),
            "b (k l) j -> b (k m) n = [B@dp, 12@tp, 2]");
}

TEST(FactorRule, ViewsWithoutElementsForAllSizes) {
  EXPECT_EQ(view("[4, 4]", "4,4,3,-1"), "undecided: the sizes of its dims");
  EXPECT_EQ(view("[4@dp]", "2,3,-1,2"), "undecided: the sizes of its dims");
}

TEST(FactorRule, ViewsOfUnevenShards) {
  EXPECT_EQ(view("[7@dp, 12]", "%0[0],3,4"), "i (k l) -> i k l = [7@dp, 3, 4]");
  EXPECT_EQ(view("[7@dp, 4, 6]", "-1,24"), "i j k -> i (j k) = [7@dp, 24]");
  EXPECT_EQ(view("[7@dp, 4]", "-1,2,2"), "i (k l) -> i k l = [7@dp, 2, 2]");
  EXPECT_EQ(view("[7@dp, 4]", "-1"), "uneven [i] j -> ([i] j) on dp");
  EXPECT_EQ(view("[7@dp, 4]", "-1,2,4"), "uneven (k l) j -> k l j on dp");
  EXPECT_EQ(view("[18@tp, 4]", "-1,2,4"), "uneven ([k] l) j -> [k] l j on tp");
  EXPECT_EQ(view("[22@tp, 4]", "-1,2,4"), "(k l) j -> k l j = [11@tp, 2, 4]");
}

TEST(FactorRule, SqueezeAndUnsqueeze) {
  EXPECT_EQ(call("unsqueeze(%0) [dim=-1]", {"[B@dp, S]"}),
            "b s -> b s 1 = [B@dp, S, 1]");
  EXPECT_EQ(call("squeeze(%0) [dim=1]", {"[B@dp, 1, S]"}),
            "b 1 s -> b s = [B@dp, S]");
  EXPECT_EQ(call("squeeze(%0) [dim=1]", {"[B@dp, S, 1]"}),
            "b s 1 -> b s 1 = [B@dp, S, 1]");
  EXPECT_EQ(call("squeeze(%0) [dim=1]", {"[B@dp, _]"}),
            "undecided: the size of a dim");
  EXPECT_EQ(call("squeeze(%0)", {"[B@dp, 1]"}), "undecided: the size of a dim");
  EXPECT_EQ(call("squeeze(%0) [dim=0]", {"[2@dp, S]"}),
            "needs-whole [i] s -> s on dp");
  EXPECT_EQ(call("expand(%0) [size={%1[0],-1}]", {"[1, S]", "[B@dp]"}),
            "1 s -> i s = [_, S]");
  EXPECT_EQ(call("expand(%0) [size={%0[0],-1,5}]", {"[B@dp, S, 1]"}),
            "b s 1 -> b s i = [B@dp, S, _]");
  EXPECT_EQ(call("expand(%0) [size={4,-1}]", {"[2@dp, S]"}),
            "needs-whole [i] s -> [i] s on dp");
  EXPECT_EQ(call("repeat(%0) [repeats={1,4}]", {"[B@dp, S]"}),
            "b s -> b i = [B@dp, 4*S]");
  EXPECT_EQ(call("repeat(%0) [repeats={n,4}]", {"[B@dp, S]"}),
            "undecided: repeats");
}

TEST(FactorRule, Slices) {
  EXPECT_EQ(
      call("slice(%0) [dim=0, start=none, end=none, step=2]", {"[B@dp, S]"}),
      "needs-whole [b] s -> i s on dp");
  EXPECT_EQ(call("slice(%0) [dim=0, start=0, end=none]", {"[B@dp, S]"}),
            "b s -> b s = [B@dp, S]");
  EXPECT_EQ(call("slice(%0) [dim=1, start=1, end=none]", {"[B@dp, 8]"}),
            "b i -> b j = [B@dp, 7]");
  EXPECT_EQ(call("slice(%0) [dim=1, start=none, end=-1]", {"[B@dp, S]"}),
            "b s -> b i = [B@dp, _]");
  EXPECT_EQ(call("narrow(%0) [dim=1, start=?, length=4]", {"[B@dp, 8]"}),
            "b i -> b j = [B@dp, 4]");
  EXPECT_EQ(call("slice(%0) [dim=0, start=0, end=%0[0]]", {"[B@dp, S]"}),
            "b s -> b s = [B@dp, S]");
  EXPECT_EQ(call("slice(%0) [dim=0, start=1, end=%0[0]]", {"[B@dp, S]"}),
            "needs-whole [b] s -> i s on dp");
  EXPECT_EQ(call("slice(%0) [dim=0, start=0, end=%0[0]/2]", {"[B@dp, S]"}),
            "needs-whole [b] s -> i s on dp");
  EXPECT_EQ(
      call("slice(%0) [dim=0, start=0, end=%0[0], step=2]", {"[B@dp, S]"}),
      "needs-whole [b] s -> i s on dp");
  EXPECT_EQ(call("narrow(%0) [dim=0, start=0, length=%0[0]]", {"[B@dp, S]"}),
            "b s -> b s = [B@dp, S]");
  EXPECT_EQ(call("narrow(%0) [dim=0, start=?, length=%0[0]]", {"[B@dp, S]"}),
            "needs-whole [b] s -> i s on dp");
  EXPECT_EQ(call("split(%0) [split_size=%0[0], dim=0]", {"[B@dp, S]"}),
            "b s -> b s = [B@dp, S]");
  EXPECT_EQ(call("topk(%0) [k=%0[0], dim=0]", {"[B@dp, S]"}),
            "needs-whole [b] s -> i s on dp");
  EXPECT_EQ(call("chunk(%0) [chunks=3, dim=-1]", {"[B@dp, 3*H]"}),
            "b i -> b h = [B@dp, H]");
  EXPECT_EQ(call("chunk(%0) [chunks=3, dim=-1]", {"[B@dp, 3*H@tp]"}),
            "needs-whole b [i] -> b h on tp");
  EXPECT_EQ(call("chunk(%0) [chunks=3, dim=-1]", {"[B@dp, 8]"}),
            "b i -> b j = [B@dp, _]");
  EXPECT_EQ(call("split(%0) [split_size=4, dim=1]", {"[B@dp, 8]"}),
            "b i -> b j = [B@dp, 4]");
  EXPECT_EQ(call("split(%0) [split_size=3, dim=1]", {"[B@dp, 8]"}),
            "b i -> b j = [B@dp, _]");
  EXPECT_EQ(call("topk(%0) [k=2, dim=-1]", {"[B@dp, E]"}),
            "b e -> b i = [B@dp, 2]");
  EXPECT_EQ(call("max(%0) [dim=1]", {"[B@dp, E]"}), "b e -> b = [B@dp]");
  EXPECT_EQ(call("unbind(%0) [dim=2]", {"[B@dp, S, 3]"}),
            "b s i -> b s = [B@dp, S]");
  EXPECT_EQ(call("select(%0) [dim=0, index=?]", {"[B, S@tp]"}),
            "b s -> s = [S@tp]");
  EXPECT_EQ(call("sum(%0) [dim=0]", {"[]"}), " ->  = []");
  EXPECT_EQ(call("sum(%0) [dim=2]", {"[B, S]"}), "dimension b s ->  dim = 2");
}

TEST(FactorRule, ListsThatAreJoined) {
  EXPECT_EQ(call("cat(%0, %1) [dim=1]", {"[B@dp, 8]", "[B@dp, 4]"}),
            "b i, b j -> b k = [B@dp, 12]");
  EXPECT_EQ(call("cat(%0, %1) [dim=0]", {"[B@dp, 8]", "[B@dp, 8]"}),
            "needs-whole [b] i, j i -> k i on dp");
  EXPECT_EQ(call("cat(%0) [dim=1]", {"[B@dp, 8]"}), "b i -> b j = [B@dp, _]");
  EXPECT_EQ(call("cat(%0, %1) [dim=1]", {"[_]", "[B@dp, 8]"}),
            "undecided: the number of dims");
  EXPECT_EQ(call("stack(%0, %1, %1) [dim=1]", {"[B@dp, S]", "[B@dp, S]"}),
            "b s, b s, b s -> b i s = [B@dp, 3, S]");
  EXPECT_EQ(call("stack(%0) [dim=0]", {"[B@dp, S]"}),
            "b s -> i b s = [_, B@dp, S]");
}

TEST(FactorRule, SelectionAndMasks) {
  EXPECT_EQ(call("one_hot(%0)", {"[B@dp, S]"}), "b s -> b s c = [B@dp, S, _]");
  EXPECT_EQ(call("triu(%0)", {"[B@dp, S, S]"}),
            "b m n -> b m n = [B@dp, S, S]");
  EXPECT_EQ(call("tril(%0)", {"[S@tp, S]"}),
            "needs-whole [m] n -> [m] n on tp");
  EXPECT_EQ(call("where(%0, %1, %1)", {"[1, S]", "[B@dp, S]"}),
            "1 s, b s, b s -> b s = [B@dp, S]");
  EXPECT_EQ(call("masked_fill(%0, %1, %2)",
                 {"[B@dp, H@tp, S, S]", "[B@dp, 1, S, S]", "[]"}),
            "b h s i, b 1 s i,  -> b h s i = [B@dp, H@tp, S, S]");
  EXPECT_EQ(call("embedding(%0, %1)", {"[V, H]", "[B@dp, S]"}),
            "v h, b s -> b s h = [B@dp, S, H]");
  EXPECT_EQ(call("embedding(%0, %1)", {"[V@tp, H]", "[B@dp, S]"}),
            "needs-whole [v] h, b s -> b s h on tp");
  EXPECT_EQ(call("gather(%0, %1) [dim=1]", {"[B@dp, V]", "[B@dp, 1]"}),
            "b v, b i -> b i = [B@dp, 1]");
  EXPECT_EQ(call("index_select(%0, %1) [dim=0]", {"[V, H@tp]", "[N@dp]"}),
            "v h, n -> n h = [N@dp, H@tp]");
}

/// Indices are integers in these, whatever letter they have.
TEST(FactorRule, IndicesPickAlongDims) {
  EXPECT_EQ(call("index(%0, %1) [dims={0}]", {"[V, H@tp]", "i64[N@dp]"}),
            "v h, n -> n h = [N@dp, H@tp]");
  EXPECT_EQ(call("index(%0, %1) [dims={-1}]", {"[B@dp, S, H]", "i32[N@tp, K]"}),
            "b s h, n k -> b s n k = [B@dp, S, N@tp, K]");
  EXPECT_EQ(call("index(%0, %1) [dims={0}]", {"[V@tp, H]", "i64[N@dp]"}),
            "needs-whole [v] h, n -> n h on tp");
  EXPECT_EQ(call("index(%0, %1) [dims={1}]", {"[B@dp, S]", "i64[N@dp]"}),
            "repeated b s, [n] -> b [n] on dp");
  EXPECT_EQ(call("index(%0, %1) [dims={2}]", {"[B@dp, S]", "i64[N]"}),
            "dimension b s,  -> ? dims = 2");
  // A tensor without dims is a number.
  EXPECT_EQ(call("index(%0, %1) [dims={1}]", {"[B@dp, S, H]", "i64[]"}),
            "b s h,  -> b h = [B@dp, H]");
}

TEST(FactorRule, SeveralIndicesAreBroadcast) {
  EXPECT_EQ(call("index(%0, %1, %2) [dims={0,1}]",
                 {"[B, S, H@tp]", "i64[N@dp]", "i64[N@dp]"}),
            "b s h, n, n -> n h = [N@dp, H@tp]");
  EXPECT_EQ(call("index(%0, %1, %2) [dims={1,2}]",
                 {"[B@dp, S, H]", "i64[N, 1]", "i64[K@tp]"}),
            "b s h, n 1, k -> b n k = [B@dp, N, K@tp]");
  // With a dim between them they come first.
  EXPECT_EQ(call("index(%0, %1, %2) [dims={0,2}]",
                 {"[B, S@dp, H]", "i64[N@tp]", "i64[N@tp]"}),
            "b s h, n, n -> n s = [N@tp, S@dp]");
  // A number between them leaves no dim there.
  EXPECT_EQ(call("index(%0, %1, %2, %3) [dims={1,2,3}]",
                 {"[B@dp, S, H, D]", "i64[N]", "i64[]", "i64[N]"}),
            "b s h d, n, , n -> b n = [B@dp, N]");
  EXPECT_EQ(
      call("index(%0, %1, %2) [dims={0,1}]", {"[B, S]", "i64[N@dp]", "i64[N]"}),
      "missing b s, [n], [n] -> [n] on dp");
}

TEST(FactorRule, MasksHaveNoDims) {
  for (const char *Mask : {"bool[B@dp]", "u8[B@dp]", "[B@dp]"})
    EXPECT_EQ(call("index(%0, %1) [dims={0}]", {"[B@dp, S]", Mask}),
              "undecided: whether an index is a mask");
  EXPECT_EQ(call("index(%0, %1) [indices=?]", {"[B@dp, S]", "i64[N]"}),
            "undecided: the overload");
}

TEST(FactorRule, ValuesGoWhereIndicesPoint) {
  EXPECT_EQ(call("index_put(%0, indices=%1, values=%2) [dims={0}]",
                 {"[V, H@tp]", "i64[N]", "[N, H@tp]"}),
            "v h, n, n h -> v h = [V, H@tp]");
  EXPECT_EQ(call("index_put(%0, indices=%1, values=%2) [dims={1}]",
                 {"[B@dp, S, H@tp]", "i64[N]", "[H@tp]"}),
            "b s h, n, h -> b s h = [B@dp, S, H@tp]");
  EXPECT_EQ(call("index_put(%0, indices=%1, values=%2 scalar) [dims={0}]",
                 {"[V, H@tp]", "i64[N]", "[]"}),
            "v h, n,  -> v h = [V, H@tp]");
  EXPECT_EQ(
      call("index_put(%0, values=%1) [dims={}]", {"[B@dp, H]", "[B@dp, H]"}),
      "b h, b h -> b h = [B@dp, H]");
  EXPECT_EQ(call("index_put(%0, indices=%1, values=%2) [dims={0}]",
                 {"[V, H@tp]", "i64[N]", "[N, H]"}),
            "missing v [h], n, n [h] -> v [h] on tp");
  EXPECT_EQ(call("index_put(%0, indices=%1, values=%2) [dims={0}]",
                 {"[V@tp, H]", "i64[N]", "[N, H]"}),
            "needs-whole [v] h, n, n h -> [v] h on tp");
  // What each rank writes elsewhere, the others have not.
  EXPECT_EQ(call("index_put(%0, indices=%1, values=%2) [dims={0}]",
                 {"[V, H]", "i64[N@dp]", "[N@dp, H]"}),
            "needs-whole v h, [n], [n] h -> v h on dp");
}

TEST(FactorRule, CopiesFillTheDimsOfWhatIsWritten) {
  EXPECT_EQ(call("copy_(%0, %1)", {"[B@dp, H@tp]", "[H@tp]"}),
            "b h, h -> b h = [B@dp, H@tp]");
  EXPECT_EQ(call("copy_(%0, %1)", {"[B@dp, H]", "[B, H@dp]"}),
            "missing [b] h, [b] h -> [b] h on dp");
  EXPECT_EQ(call("copy(%0, %1)", {"[B@dp, H]", "[B@dp, 1]"}),
            "b h, b 1 -> b h = [B@dp, H]");
}

TEST(FactorRule, SeveralAxesAtOnce) {
  EXPECT_EQ(call("mm(%0, %1)", {"[M, K@(dp,tp)]", "[K@(dp,tp), N]"}, {"dp"}),
            "contraction m [k], [k] n -> m n on tp");
  EXPECT_EQ(
      call("mm(%0, %1)", {"[M, K@(dp,tp)]", "[K@(dp,tp), N]"}, {"dp", "tp"}),
      "m k, k n -> m n = [M, N] P (dp,tp)");
  EXPECT_EQ(call("mm(%0, %1)", {"[M, K@one]", "[K, N]"}),
            "m k, k n -> m n = [M, N]");
  EXPECT_EQ(call("mm(%0, %1)", {"[M@one, K]", "[K, N]"}, {"one"}),
            "m k, k n -> m n = [M, N]");
  EXPECT_EQ(call("mm(%0, %1)", {"[M@tp, K]", "[K, N]"}, {"tp"}),
            "not-partial [m] k, k n -> [m] n on tp");
  EXPECT_EQ(call("mm(%0, %1)", {"[M, K@tp]", "[K@tp, N]"}, {"tp"}, {"0 dp"}),
            "m k, k n -> m n = [M, N] P tp");
  EXPECT_EQ(call("sum(%0) [dim=0]", {"[B@dp, S]"}, {"dp"}),
            "b s -> s = [S] P dp");
  EXPECT_EQ(call("einsum(%0, %1) [equation=\"bshd,bthd->bhst\"]",
                 {"[B@dp, S, H@tp, D]", "[B@dp, T, H@tp, D]"}),
            "b s h d, b t h d -> b h s t = [B@dp, H@tp, S, T]");
  EXPECT_EQ(call("einsum(%0, %1) [equation=\"...k,kn\"]",
                 {"[B@dp, S, K@tp]", "[K@tp, N]"}, {"tp"}),
            "b s k, k n -> b s n = [B@dp, S, N] P tp");
}

} // namespace
