//===- FactorRuleTest.cpp - The factors of one call -----------------------===//

#include "spmd/rules/FactorRule.h"
#include "spmd/rules/IRText.h"

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
      return localSize(S.Dims[D], Table);
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
  EXPECT_EQ(call("full(%0) [size={4,8}]", {"[]"}), " -> ?");
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

} // namespace
