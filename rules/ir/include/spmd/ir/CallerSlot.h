//===- CallerSlot.h - What a callee's slot is in its caller -----*- C++ -*-===//

#ifndef SPMD_RULES_LIB_CALLERSLOT_H
#define SPMD_RULES_LIB_CALLERSLOT_H

#include "spmd/ir/IR.h"

namespace spmd::rules {

/// The caller's slot that \p Theirs of \p Callee stands for at \p Call: an
/// argument, the receiver, the result; a field of one of these, as
/// Field(Base, Slot) says; or a global, as Global(Slot) says. None where it
/// stands for nothing.
template <typename FieldFn, typename GlobalFn>
SlotId callerSlot(const CallFact &Call, const Function &Callee, SlotId Theirs,
                  FieldFn Field, GlobalFn Global) {
  const Slot &S = Callee.slot(Theirs);
  switch (S.Kind) {
  case SlotKind::Parameter:
    return index(Theirs) < Call.Arguments.size()
               ? Call.Arguments[index(Theirs)].Slot
               : SlotId::None;
  case SlotKind::This:
    return Call.Receiver.Slot;
  case SlotKind::Result:
    return Call.result();
  case SlotKind::Field: {
    const SlotId Base = callerSlot(Call, Callee, S.Base, Field, Global);
    return Base == SlotId::None ? Base : Field(Base, S);
  }
  case SlotKind::Global:
    return Global(S);
  case SlotKind::Local:
  case SlotKind::Temporary:
    break;
  }
  return SlotId::None;
}

} // namespace spmd::rules

#endif // SPMD_RULES_LIB_CALLERSLOT_H
