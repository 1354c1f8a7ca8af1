//===- TrainedApart.cpp - What each rank trains by itself -----------------===//

#include "TrainedApart.h"

#include "spmd/ir/Members.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

/// Whether what \p S began with, a variable that is declared where it is made,
/// is \p Is now since it was made the same on all ranks: each has drawn weights
/// of its own, and they stay the same from then on. Not where those of another
/// model are copied to it.
static bool isSynchronised(const Function &F, const Slot &S,
                           const AxisState &Is) {
  const SlotKind Root = rootOf(F, S).Kind;
  return (Root == SlotKind::Local || Root == SlotKind::Temporary) &&
         Is.Set != TypeSet(LocalType::V) &&
         (Is.OfOneRank || Is.OfMessages || !Is.From ||
          Is.From->K != Origin::Kind::Op || Is.From->Text != "copy_");
}

AxisMask trainedApart(const Function &F, const Storage &Store, const State &Now,
                      llvm::ArrayRef<CellId> Tensors) {
  AxisMask Out = 0;
  for (std::uint32_t I = 0; I != F.Slots.size(); ++I) {
    const Slot &S = F.Slots[I];
    const CellId Id = Now.cellOf(I);
    const AbstractValue *Is = Now.contents(Id);
    if (!S.Declared || S.Declared->Exit || !Is ||
        !llvm::is_contained(Tensors, Id))
      continue;
    const AbstractValue Said = Store.initialValue(S);
    for (AxisId A = 0; A != Said.Axes.size(); ++A)
      if (Said.Axes[A].Set == TypeSet(LocalType::V) &&
          !isSynchronised(F, S, Is->Axes[A]))
        Out |= 1u << A;
  }
  return Out;
}

} // namespace spmd::rules::inference
