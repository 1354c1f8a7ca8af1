//===- CountersOfLoops.h - What numbers the iterations of loops -*- C++ -*-===//

#ifndef SPMD_INFERENCE_WAYS_COUNTERSOFLOOPS_H
#define SPMD_INFERENCE_WAYS_COUNTERSOFLOOPS_H

#include "spmd/ir/Walk.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Whether all that \p F gives to \p Counter at once is 0.
inline bool beginsWithZero(const Function &F, llvm::StringRef Counter) {
  llvm::SmallDenseSet<SlotId, 8> Zeros;
  for (const DefineFact &D : factsOf<DefineFact>(F))
    if (D.K == DefineFact::Kind::Zero)
      Zeros.insert(D.Dst);
  bool Out = false;
  for (const BindFact &B : factsOf<BindFact>(F))
    if (F.slot(B.Dst).Name == Counter) {
      if (!Zeros.contains(B.Src.Slot))
        return false;
      Out = true;
    }
  return Out;
}

/// Whether the blocks \p On of a loop ask if its counter, which begins with
/// 0, is 0 still.
inline bool tellsFirst(const Function &F, llvm::ArrayRef<std::uint32_t> On) {
  const auto Tells = [&](std::uint32_t B) {
    const BranchTest &T = *F.Blocks[B].Test;
    return T.holdsFor(0) != T.holdsFor(1) && T.holdsFor(1) == T.holdsFor(2) &&
           T.To < 2;
  };
  return llvm::all_of(On, Tells) && beginsWithZero(F, F.Blocks[On[0]].Test->Of);
}

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_COUNTERSOFLOOPS_H
