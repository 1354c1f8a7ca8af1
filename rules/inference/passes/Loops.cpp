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
      if (const std::uint32_t B = Work.pop_back_val(); Body.insert(B).second)
        llvm::append_range(Work, Predecessors[B]);
  }
}

} // namespace spmd::rules::inference
