//===- LowerPointerLoops.cpp - Iterations over named structs --------------===//

#include "LowerPointerLoops.h"

#include "spmd/ir/Unroll.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// Empty where one of them is not known.
static llvm::SmallVector<Operand, 4> elementsOf(ExprLowering &L,
                                                const PointerLoops::Loop &Of) {
  llvm::SmallVector<Operand, 4> Out;
  for (const Expr *E : Of.Elements)
    Out.push_back(L.operandOrNone(E));
  const bool AreKnown = llvm::all_of(
      Out, [](const Operand &O) { return O.Slot != SlotId::None; });
  return AreKnown ? Out : llvm::SmallVector<Operand, 4>();
}

bool beginTurn(ExprLowering &L, const VarDecl *VD) {
  const PointerLoops::Loop *Loop = L.Body.pointerLoops().of(VD);
  const auto Elements =
      Loop ? elementsOf(L, *Loop) : llvm::SmallVector<Operand, 4>();
  if (Elements.empty())
    return false;
  L.emit(BindFact{L.Slots.variable(VD), Elements.front(),
                  L.place(VD->getSourceRange()), /*Refers=*/true});
  return true;
}

void unrollTurns(ExprLowering &L, const PointerTurns &Of) {
  for (const auto &[Loop, Head] : llvm::reverse(Of)) {
    const auto Elements = elementsOf(L, *Loop);
    const SlotId Variable = L.Slots.variable(Loop->Variable);
    if (Elements.empty() || unroll(L.ir(), Head, Variable, Elements))
      continue;
    // Then it may be any of them.
    for (Block &B : L.ir().Blocks)
      for (Fact &X : B.Facts)
        if (const auto *Bind = std::get_if<BindFact>(&X);
            Bind && Bind->Dst == Variable)
          X = HavocFact{Variable, /*Rebinds=*/true, Bind->At};
  }
}

} // namespace spmd::lint::lower
