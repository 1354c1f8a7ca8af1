//===- LowerModuleLoops.cpp - One turn for all modules in a module --------===//

#include "LowerModuleLoops.h"

#include "ModuleLoops.h"

#include "spmd/ir/Unroll.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

Operand moduleOfLoop(ExprLowering &L, const VarDecl *VD) {
  if (!VD->isCXXForRangeDecl())
    return {};
  const ModuleLoops Loops(L.function());
  const ModuleLoop *Loop = Loops.elementOf(VD);
  const Operand Of = Loop ? L.operandOrNone(Loop->Of) : Operand();
  if (Of.Slot != SlotId::None) // as the module itself lists them
    L.Slots.parametersOf(Of.Slot, Loop->Of->getType());
  return Of;
}

void unrollModules(ExprLowering &L, const BlockOrder &Order) {
  const ModuleLoops Loops(L.function());
  for (const CFGBlock *B : llvm::reverse(Order.Blocks))
    if (const ModuleLoop *Loop = Loops.find(B->getTerminatorStmt()))
      if (const Operand Of = L.operandOrNone(Loop->Of); Of.Slot != SlotId::None)
        unroll(L.ir(), Order.NumberOf.lookup(B),
               L.Slots.variable(Loop->Variable),
               llvm::SmallVector<Operand, 2>(Loop->Turns, Of));
}

} // namespace spmd::lint::lower
