//===- LowerRootCopies.cpp - Copies that the root may take as well --------===//

#include "LowerRootCopies.h"

#include "cxx/KnownTypes.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// Where the way through \p B meets another one; null if it parts before.
static const CFGBlock *meetingOf(const CFGBlock *B) {
  while (B->succ_size() == 1) {
    B = *B->succ_begin();
    if (!B || B->pred_size() > 1)
      return B;
  }
  return nullptr;
}

static void take(ExprLowering &L, const RootCopies::Copy &Of) {
  const SlotId To = L.value(Of.Kept);
  const Operand From = L.operandOrNone(Of.Sent);
  if (To == SlotId::None || From.Slot == SlotId::None)
    return;
  if (classify(Of.Kept->getType()) == TypeClass::Scalar ||
      isStdClass(Of.Kept->getType(), "basic_string")) {
    L.emitOp(ScalarRules::get().Copy, {From}, Of.Assignment, To);
    return;
  }
  llvm::SmallVector<SlotId, 8> Members;
  for (std::uint32_t I = 0; I != L.ir().Slots.size(); ++I)
    if (L.ir().Slots[I].Base == To)
      Members.push_back(SlotId(I));
  // A struct is sent as a whole.
  for (const SlotId Member : Members)
    L.emitOp(ScalarRules::get().Copy, {From}, Of.Assignment, Member);
}

void PendingCopies::enter(ExprLowering &L, const CFGBlock &B) {
  for (const RootCopies::Copy *Of : At.lookup(&B))
    take(L, *Of);
}

void PendingCopies::leave(ExprLowering &L, const CFGBlock &B) {
  for (const CFGElement &E : B)
    if (const auto S = E.getAs<CFGStmt>())
      if (const RootCopies::Copy *Of = L.Body.rootCopies().find(S->getStmt()))
        if (const CFGBlock *Behind = meetingOf(&B))
          At[Behind].push_back(Of);
}

} // namespace spmd::lint::lower
