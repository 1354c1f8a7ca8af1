//===- Ways.cpp - The ways through a function -----------------------------===//

#include "Ways.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::sharding {

/// Blocks that throw or end the program are their own successors.
static bool ends(const Function &F, BlockId B) {
  const auto &Next = F.Blocks[index(B)].Successors;
  return !Next.empty() && llvm::all_of(Next, [&](BlockId S) { return S == B; });
}

Ways::Ways(const Function &F) {
  // Depth first; a block comes before all that it alone leads to.
  enum class Mark : std::uint8_t { New, Open, Done };
  std::vector<Mark> Marks(F.Blocks.size(), Mark::New);
  std::vector<BlockId> Finished;
  std::vector<std::pair<BlockId, unsigned>> Stack{{BlockId(0), 0}};
  std::vector<std::pair<BlockId, BlockId>> Back; ///< end, begin of a loop
  Marks[0] = Mark::Open;
  while (!Stack.empty()) {
    const BlockId B = Stack.back().first;
    const auto &Next = F.Blocks[index(B)].Successors;
    if (Stack.back().second == Next.size()) {
      Marks[index(B)] = Mark::Done;
      Finished.push_back(B);
      Stack.pop_back();
      continue;
    }
    const BlockId S = Next[Stack.back().second++];
    if (ends(F, S))
      continue;
    if (Marks[index(S)] == Mark::Open)
      Back.emplace_back(B, S);
    if (Marks[index(S)] != Mark::New)
      continue;
    Marks[index(S)] = Mark::Open;
    Stack.emplace_back(S, 0);
  }

  std::vector<std::size_t> At(F.Blocks.size(), 0);
  for (BlockId B : llvm::reverse(Finished)) {
    At[index(B)] = Order.size();
    Order.push_back({B, {}, {}, {}});
  }
  for (const Stop &S : Order)
    for (BlockId Next : F.Blocks[index(S.At)].Successors) {
      if (ends(F, Next))
        continue;
      Stop &To = Order[At[index(Next)]];
      auto &Into = llvm::is_contained(Back, std::pair(S.At, Next)) ? To.Again
                                                                   : To.Before;
      if (!llvm::is_contained(Into, S.At))
        Into.push_back(S.At);
    }
  // What leads to the end of a loop without its begin is in it.
  for (Stop &S : Order) {
    llvm::SmallVector<BlockId, 4> Open(S.Again.begin(), S.Again.end());
    if (!Open.empty())
      S.Loop.insert(index(S.At));
    while (!Open.empty()) {
      const BlockId B = Open.pop_back_val();
      if (!S.Loop.insert(index(B)).second)
        continue;
      Open.append(Order[At[index(B)]].Before);
      Open.append(Order[At[index(B)]].Again);
    }
  }
}

} // namespace spmd::sharding
