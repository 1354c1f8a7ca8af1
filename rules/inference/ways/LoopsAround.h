//===- LoopsAround.h - Loops around those over a list -----------*- C++ -*-===//

#ifndef SPMD_INFERENCE_WAYS_LOOPSAROUND_H
#define SPMD_INFERENCE_WAYS_LOOPSAROUND_H

#include "CollectiveCallers.h"

#include "passes/Loops.h"

#include "llvm/ADT/DenseSet.h"

namespace spmd::rules::inference {

/// The outermost loops of \p F that go over the elements that the blocks \p On
/// tell apart by loops inside, and do collectives: steps of a training, say.
inline std::vector<std::uint32_t>
loopsAround(const Function &F, llvm::ArrayRef<std::uint32_t> On,
            const CollectiveCallers &Collected) {
  const Loops Cycles(F, [](std::uint32_t) { return true; });
  const auto Has = [&](std::uint32_t Head, std::uint32_t Block) {
    return Cycles.beginsAt(Head) && !Cycles.leaves(Head, Block);
  };
  const auto IsInside = [&](std::uint32_t Outer, std::uint32_t Block) {
    for (std::uint32_t In = Outer + 1; In <= Block; ++In)
      if (Has(Outer, In) && Has(In, Block))
        return true;
    return false;
  };
  std::vector<std::uint32_t> Out;
  for (std::uint32_t Head = 0; Head != F.Blocks.size(); ++Head) {
    if (!Cycles.beginsAt(Head) ||
        llvm::any_of(Out, [&](std::uint32_t X) { return Has(X, Head); }))
      continue;
    std::vector<std::uint32_t> Body;
    for (std::uint32_t B = Head; B != F.Blocks.size(); ++B)
      if (Has(Head, B))
        Body.push_back(B);
    if (Collected.isDoneIn(F, Body) && llvm::any_of(On, [&](std::uint32_t B) {
          return Has(Head, B) && IsInside(Head, B);
        }))
      Out.push_back(Head);
  }
  return Out;
}

/// Whether all iterations of the loop at \p Head that go on to another come
/// through \p Block, where each element is there.
inline bool isInEach(const Function &F, const Loops &Cycles, std::uint32_t Head,
                     std::uint32_t Block) {
  llvm::SmallVector<std::uint32_t, 16> Work{Head};
  llvm::DenseSet<std::uint32_t> Seen;
  while (!Work.empty()) {
    const std::uint32_t B = Work.pop_back_val();
    if (B == Block || Cycles.leaves(Head, B) || !Seen.insert(B).second)
      continue;
    const auto &T = F.Blocks[B].Test;
    const bool Is = T && T->K == BranchTest::Kind::Defined;
    for (const auto &[I, To] : llvm::enumerate(F.Blocks[B].Successors)) {
      if (Is && F.Blocks[B].Successors.size() == 2 && !counts(*T, I == 0))
        continue;
      if (index(To) == Head)
        return false;
      Work.push_back(index(To));
    }
  }
  return true;
}

/// Whether the loop at \p Head comes to \p Block in each iteration, where all
/// loops inside have some.
inline bool comesToEach(const Function &F, std::uint32_t Head,
                        std::uint32_t Block) {
  const Loops Cycles(F, [](std::uint32_t) { return true; });
  std::uint32_t Around = Head;
  for (std::uint32_t In = Head + 1; In <= Block; ++In)
    if (Cycles.beginsAt(In) && !Cycles.leaves(Head, In) &&
        !Cycles.leaves(In, Block)) {
      if (!isInEach(F, Cycles, Around, In))
        return false;
      Around = In;
    }
  return Around == Block || isInEach(F, Cycles, Around, Block);
}

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_LOOPSAROUND_H
