//===- SuggestTest.cpp - What is suggested for functions ------------------===//

#include "spmd/sharding/Suggest.h"

#include "spmd/rules/IRText.h"

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
  llvm::Expected<Suggestion> S =
      suggestSharding(*Modules.back()->Functions[0], Costs, Options);
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

TEST(Suggest, MegatronBlock) {
  CostModel Costs = onMesh("dp=8, tp=8", {25, 300});
  Costs.Accumulate = 8;
  const Answer A =
      suggest(Block, Costs, sizes({{"B", 8}, {"S", 2048}, {"H", 12288}}));
  ASSERT_EQ(A.Error, "");
  EXPECT_TRUE(A.S.IsExact);
  EXPECT_EQ(A.Types.at("x"), "bf16[B@dp, S@tp, H]");
}

} // namespace
