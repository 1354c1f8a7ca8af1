//===- EarlierSums.h - Sums that some iterations take again -----*- C++ -*-===//

#ifndef SPMD_INFERENCE_WAYS_EARLIERSUMS_H
#define SPMD_INFERENCE_WAYS_EARLIERSUMS_H

#include "Choices.h"
#include "Deciders.h"

#include "passes/PointedInto.h"

#include "spmd/inference/Violation.h"
#include "spmd/ir/ControlFlow.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Whether \p A and \p B are one slot, or the same member of two elements.
inline bool isSameMember(const Function &F, SlotId A, SlotId B) {
  return A == B || (F.slot(A).Kind == SlotKind::Field &&
                    F.slot(B).Kind == SlotKind::Field &&
                    F.slot(A).Member == F.slot(B).Member);
}

/// Into what the branch at the end of \p Block of \p F, if it is \p Is, does
/// not add up what the ranks have in another buffer, as it does otherwise.
inline void addSumsLeftOut(const Function &F, std::uint32_t Block, bool Is,
                           llvm::SmallVectorImpl<SlotId> &Out) {
  for (const unsigned B :
       ControlFlow(F).onlyThrough(Block, Is ? 1 : 0).set_bits()) {
    if (B >= F.Blocks.size())
      continue;
    for (const Fact &X : F.Blocks[B].Facts)
      if (const auto *T = std::get_if<TransferFact>(&X);
          T && T->K == TransferKind::AllReduce && !T->From &&
          T->Reduction == ReductionKind::Sum && T->Out.Slot != SlotId::None &&
          T->Out.Slot != T->Src.Slot)
        Out.push_back(T->Out.Slot);
  }
}

/// Whether \p S is declared to be the same on all ranks of the axis of \p V.
inline bool isReplica(const Slot &S, const Violation &V) {
  const AxisAtom *Said = S.Declared && !S.Declared->Exit
                             ? S.Declared->Entry.find(V.Axis)
                             : nullptr;
  return Said &&
         (Said->Value.Type == LocalType::R || Said->Value.Type == LocalType::I);
}

/// Whether \p V is of a call of \p F that updates what all ranks have alike by
/// one of the sums \p LeftOut: it takes what an earlier iteration has summed
/// once more.
inline bool takesEarlierSum(const Module &M, const Function &F,
                            llvm::ArrayRef<SlotId> LeftOut,
                            const Violation &V) {
  const auto *Clash = V.as<ContractClash>();
  if (!Clash || Clash->On != Annotated::Argument || V.In != &F)
    return false;
  for (const CallFact &Call : factsOf<CallFact>(F)) {
    const Function *Target = Call.At == V.At ? M.find(Call.Callee) : nullptr;
    const std::size_t Most = Target
                                 ? std::min<std::size_t>(Target->NumParameters,
                                                         Call.Arguments.size())
                                 : 0;
    SlotId Taken = SlotId::None;
    bool Updates = false;
    for (std::uint32_t I = 0; I != Most; ++I)
      if (Call.Arguments[I].At == V.Operands.front().At)
        Taken = Call.Arguments[I].Slot;
      else
        Updates |=
            isReplica(Target->Slots[I], V) && mayWrite(*Target, SlotId(I));
    if (Taken != SlotId::None && Updates)
      return llvm::any_of(LeftOut,
                          [&](SlotId S) { return isSameMember(F, S, Taken); });
  }
  return false;
}

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_EARLIERSUMS_H
