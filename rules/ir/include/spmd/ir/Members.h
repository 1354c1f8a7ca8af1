//===- Members.h - Of which objects slots are members -----------*- C++ -*-===//

#ifndef SPMD_IR_MEMBERS_H
#define SPMD_IR_MEMBERS_H

#include "spmd/ir/IR.h"

namespace spmd::rules {

/// The variable, parameter or value that \p S is a member of, however deep;
/// \p S if it is none.
inline SlotId rootOf(const Function &F, SlotId S) {
  while (F.slot(S).Kind == SlotKind::Field)
    S = F.slot(S).Base;
  return S;
}

inline const Slot &rootOf(const Function &F, const Slot &S) {
  return S.Kind == SlotKind::Field ? F.slot(rootOf(F, S.Base)) : S;
}

/// Whether \p S is \p Object, or a part of it. Nothing is a part of None.
inline bool isWithin(const Function &F, SlotId S, SlotId Object) {
  while (S != SlotId::None && S != Object)
    S = F.slot(S).Base;
  return S != SlotId::None;
}

} // namespace spmd::rules

#endif // SPMD_IR_MEMBERS_H
