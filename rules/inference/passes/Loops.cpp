//===- Loops.cpp - The loops of a function's blocks -----------------------===//

#include "Loops.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

Loops::Loops(const Function &F,
             llvm::function_ref<bool(std::uint32_t)> Reached) {
  Predecessors.resize(F.Blocks.size());
  for (std::uint32_t B = 0; B != F.Blocks.size(); ++B)
    if (Reached(B))
      for (BlockId To : F.Blocks[B].Successors)
        Predecessors[index(To)].push_back(B);
  for (std::uint32_t Head = 0; Head != F.Blocks.size(); ++Head) {
    llvm::SmallVector<std::uint32_t, 8> Work;
    llvm::copy_if(Predecessors[Head], std::back_inserter(Work),
                  [&](std::uint32_t P) { return isBackEdge(P, Head); });
    if (Work.empty())
      continue;
    auto &Body = Bodies[Head];
    Body.insert(Head);
    while (!Work.empty())
      // What comes before the first block leads into an iteration that is run
      // by itself.
      if (const std::uint32_t B = Work.pop_back_val();
          B >= Head && Body.insert(B).second)
        llvm::append_range(Work, Predecessors[B]);
    findCondition(F, Head);
  }
}

llvm::DenseSet<std::uint32_t>
Loops::withBlock(llvm::function_ref<bool(std::uint32_t)> Is) const {
  llvm::DenseSet<std::uint32_t> Out;
  for (const auto &[Head, Body] : Bodies)
    if (llvm::any_of(Body, Is))
      Out.insert(Head);
  return Out;
}

llvm::DenseSet<std::uint32_t> Loops::exits(const Function &F) const {
  llvm::DenseSet<std::uint32_t> Out;
  for (const auto &Of : Bodies)
    for (const std::uint32_t B : Of.second)
      if (llvm::any_of(F.Blocks[B].Successors, [&](BlockId To) {
            return !Of.second.contains(index(To));
          }))
        Out.insert(B);
  return Out;
}

void Loops::findCondition(const Function &F, std::uint32_t Head) {
  const llvm::DenseSet<std::uint32_t> &Body = Bodies[Head];
  llvm::SmallVector<std::uint32_t, 2> &Out = Conditions[Head];
  std::optional<std::uint32_t> Next = Head;
  while (Next) {
    Out.push_back(*Next);
    LoopOf.try_emplace(*Next, Head);
    llvm::ArrayRef<BlockId> To = F.Blocks[*Next].Successors;
    const auto Inside =
        llvm::find_if(To, [&](BlockId S) { return Body.contains(index(S)); });
    Next.reset();
    if (To.size() != 2 || Inside == To.end() || index(*Inside) == Head)
      return;
    const auto LeavesFrom = [&](BlockId B) {
      llvm::ArrayRef<BlockId> Of = F.Blocks[index(B)].Successors;
      return Of.size() == 2 && llvm::count_if(Of, [&](BlockId S) {
                                 return Body.contains(index(S));
                               }) == 1;
    };
    if (LeavesFrom(BlockId(Out.back())) &&
        Predecessors[index(*Inside)].size() == 1 && LeavesFrom(*Inside))
      Next = index(*Inside);
  }
}

} // namespace spmd::rules::inference
