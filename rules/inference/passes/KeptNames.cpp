//===- KeptNames.cpp - What members name for a while ----------------------===//

#include "KeptNames.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules::inference {

bool keeps(const Function &F, SlotId L, SlotId Member) {
  return F.slot(L).Kind == SlotKind::Local &&
         llvm::any_of(factsOf<BindFact>(F), [&](const BindFact &B) {
           return B.Dst == L && B.Src.Slot == Member;
         });
}

bool isPutBack(const Function &F, SlotId Member) {
  return llvm::any_of(factsOf<BindFact>(F), [&](const BindFact &B) {
    return B.Dst == Member && keeps(F, B.Src.Slot, Member);
  });
}

} // namespace spmd::rules::inference
