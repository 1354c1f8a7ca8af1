//===- NumberBlocks.cpp - Blocks in the order of lowering -----------------===//

#include "NumberBlocks.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

/// Every block behind those that it leads to, but for loops.
std::vector<std::uint32_t> postOrder(const Function &F) {
  std::vector<std::uint32_t> Out;
  std::vector<bool> Seen(F.Blocks.size());
  llvm::SmallVector<std::pair<std::uint32_t, unsigned>, 16> Stack{{0, 0}};
  Seen[0] = true;
  while (!Stack.empty()) {
    auto &[B, Done] = Stack.back();
    const auto &Next = F.Blocks[B].Successors;
    // The last way first: what follows a loop then comes behind its body.
    if (Done == Next.size()) {
      Out.push_back(B);
      Stack.pop_back();
      continue;
    }
    const std::uint32_t To = index(Next[Next.size() - ++Done]);
    if (!Seen[To]) {
      Seen[To] = true;
      Stack.emplace_back(To, 0);
    }
  }
  return Out;
}

} // namespace

void numberBlocks(Function &F) {
  const std::vector<std::uint32_t> Order = postOrder(F);
  std::vector<std::uint32_t> Number(F.Blocks.size());
  for (std::uint32_t I = 0; I != Order.size(); ++I)
    Number[Order[I]] = static_cast<std::uint32_t>(Order.size()) - 1 - I;
  std::vector<Block> Blocks;
  for (std::uint32_t B : llvm::reverse(Order)) {
    Blocks.push_back(std::move(F.Blocks[B]));
    for (BlockId &To : Blocks.back().Successors)
      To = BlockId(Number[index(To)]);
  }
  F.Blocks = std::move(Blocks);
}

} // namespace spmd::oracle
