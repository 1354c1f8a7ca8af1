//===- SplitBlocks.cpp - Blocks that a statement ends ---------------------===//

#include "SplitBlocks.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <utility>
#include <vector>

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// Takes what is from \p From on out of the block, which ends there, and enters
/// another one behind it: the blocks that hold \p Ways lie between.
static void splitBlock(ExprLowering &L, std::size_t From,
                       std::vector<std::vector<Fact>> Ways) {
  std::vector<Block> &Blocks = L.ir().Blocks;
  std::vector<Fact> &All = L.block().Facts;
  All.erase(All.begin() + static_cast<std::ptrdiff_t>(From), All.end());
  const auto Next = static_cast<std::uint32_t>(Blocks.size());
  const BlockId Behind{Next + static_cast<std::uint32_t>(Ways.size())};
  auto &Successors = L.block().Successors;
  Successors.clear();
  for (std::uint32_t I = 0; I != Ways.size(); ++I)
    Successors.push_back(BlockId{Next + I});
  if (Ways.size() == 1)
    Successors.push_back(Behind);
  for (std::vector<Fact> &Facts : Ways) {
    Block &B = Blocks.emplace_back();
    B.Facts = std::move(Facts);
    B.Successors.assign({Behind});
  }
  Blocks.emplace_back();
  L.enter(Behind);
}

void guardElement(ExprLowering &L, std::size_t Before, const Expr *Call,
                  BranchTest One) {
  const std::vector<Fact> &All = L.block().Facts;
  const auto First =
      llvm::find_if(llvm::drop_begin(All, Before), [](const Fact &X) {
        return std::holds_alternative<TransferFact>(X);
      });
  if (First == All.end())
    return;
  const auto From = static_cast<std::size_t>(First - All.begin());
  std::vector<Fact> OfOne(First, All.end());
  L.block().Facts.resize(From, HavocFact{});
  L.block().Condition = {L.define(DefineFact::Kind::Constant, Call),
                         L.place(Call)};
  L.block().Test = std::move(One);
  splitBlock(L, L.block().Facts.size(), {std::move(OfOne)});
}

void splitCall(
    ExprLowering &L, std::size_t Before, const CallExpr *Call,
    llvm::function_ref<std::optional<BranchTest>(const Expr *)> TestOf) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  const std::vector<Fact> &All = L.block().Facts;
  if (!Callee || isa<CXXOperatorCallExpr>(Call) || Before >= All.size())
    return;
  const auto At = llvm::find_if(llvm::drop_begin(All, Before), [&](auto &X) {
    return std::holds_alternative<CallFact>(X);
  });
  if (At == All.end())
    return;
  for (std::uint32_t I = 0;
       I != std::min(Call->getNumArgs(), Callee->getNumParams()); ++I) {
    const Expr *Argument = Call->getArg(I);
    const auto &Arguments = std::get<CallFact>(*At).Arguments;
    if (!Callee->getParamDecl(I)->getType()->isIntegralOrEnumerationType() ||
        I >= Arguments.size() || Arguments[I].Slot == SlotId::None)
      continue;
    std::optional<BranchTest> Test = TestOf(Argument);
    if (!Test)
      continue;
    const auto From = static_cast<std::size_t>(At - All.begin());
    L.block().Condition = Arguments[I];
    L.block().Test = std::move(Test);
    std::vector<std::vector<Fact>> Ways;
    for (const std::int64_t Value : {1, 0}) {
      CallFact Given = std::get<CallFact>(*At);
      Given.Numbers.push_back({I, Value, SlotId::None});
      Ways.push_back({std::move(Given)});
    }
    std::vector<Fact> Rest(At + 1, All.end());
    splitBlock(L, From, std::move(Ways));
    llvm::append_range(L.block().Facts, std::move(Rest));
    return;
  }
}

void orderBlocks(Function &F, std::size_t Numbered) {
  const std::size_t Size = F.Blocks.size();
  llvm::BitVector Placed(static_cast<unsigned>(Size));
  std::vector<std::uint32_t> Order, Added;
  // Behind all that lead to it: where ways meet again, behind the last of them.
  const auto Add = [&](std::uint32_t B, const auto &AddNext) -> void {
    Placed.set(B);
    for (const BlockId S : llvm::reverse(F.Blocks[B].Successors))
      if (index(S) >= Numbered && !Placed.test(index(S)))
        AddNext(index(S), AddNext);
    Added.push_back(B);
  };
  for (std::uint32_t B = 0; B != Size; ++B)
    if (!Placed.test(B)) {
      Added.clear();
      Add(B, Add);
      llvm::append_range(Order, llvm::reverse(Added));
    }
  std::vector<BlockId> Now(Size);
  std::vector<Block> Ordered;
  for (const std::uint32_t B : Order) {
    Now[B] = BlockId(Ordered.size());
    Ordered.push_back(std::move(F.Blocks[B]));
  }
  for (Block &B : Ordered) {
    for (BlockId &S : B.Successors)
      S = Now[index(S)];
    if (B.Test && B.Test->Loop != BlockId::None)
      B.Test->Loop = Now[index(B.Test->Loop)];
  }
  F.Blocks = std::move(Ordered);
}

} // namespace spmd::lint::lower
