//===- LowerPointerLoops.cpp - Iterations over named structs --------------===//

#include "LowerPointerLoops.h"

#include "spmd/ir/Unroll.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// What the member \p E, which a method names by `this`, is of \p Object.
static Operand memberOf(ExprLowering &L, const Expr *Object, const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(E))
    return L.operandOrNone(Object);
  const auto *Member = dyn_cast<MemberExpr>(E);
  const auto *Field =
      Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
  const Operand Of = Field ? memberOf(L, Object, Member->getBase()) : Operand();
  if (Of.Slot == SlotId::None)
    return {};
  return {L.Slots.field(Of.Slot, Field->getName(), Field), Of.At};
}

static Operand elementOf(ExprLowering &L, const PointerLoops::Loop &Of,
                         const Expr *E) {
  if (!Of.Object)
    return L.operandOrNone(E);
  return memberOf(L, Of.Object,
                  cast<UnaryOperator>(E->IgnoreParenImpCasts())->getSubExpr());
}

/// Empty where one of them is not known.
static llvm::SmallVector<Operand, 4> elementsOf(ExprLowering &L,
                                                const PointerLoops::Loop &Of) {
  llvm::SmallVector<Operand, 4> Out;
  for (const Expr *E : Of.Elements)
    Out.push_back(elementOf(L, Of, E));
  const bool AreKnown = llvm::all_of(
      Out, [](const Operand &O) { return O.Slot != SlotId::None; });
  return AreKnown ? Out : llvm::SmallVector<Operand, 4>();
}

static SlotId variableOf(ExprLowering &L, const PointerLoops::Loop &Of) {
  return Of.Variable ? L.Slots.variable(Of.Variable)
                     : L.Slots.turn(Of.At, Of.Mentions.front());
}

/// Until the loop is unrolled each turn has the first of them.
static bool begin(ExprLowering &L, const PointerLoops::Loop *Loop, PlaceId At) {
  const auto Elements =
      Loop ? elementsOf(L, *Loop) : llvm::SmallVector<Operand, 4>();
  if (Elements.empty())
    return false;
  L.emit(BindFact{variableOf(L, *Loop), Elements.front(), At,
                  /*Refers=*/true});
  return true;
}

bool beginTurn(ExprLowering &L, const VarDecl *VD) {
  return begin(L, L.Body.pointerLoops().of(VD), L.place(VD->getSourceRange()));
}

void beginTurn(ExprLowering &L, const CFGBlock &B) {
  for (const CFGBlock *From : B.preds()) {
    const Stmt *S = From ? From->getTerminatorStmt() : nullptr;
    const auto *Loop = S ? L.Body.pointerLoops().find(S) : nullptr;
    if (Loop && !Loop->Variable && *From->succ_begin() == &B)
      begin(L, Loop, L.place(Loop->Mentions.front()));
  }
}

SlotId turnAt(ExprLowering &L, const Expr *E) {
  const PointerLoops::Loop *Loop = L.Body.pointerLoops().of(strip(E));
  return Loop && !elementsOf(L, *Loop).empty() ? variableOf(L, *Loop)
                                               : SlotId::None;
}

void unrollTurns(ExprLowering &L, const PointerTurns &Of) {
  for (const auto &[Loop, Head] : llvm::reverse(Of)) {
    const auto Elements = elementsOf(L, *Loop);
    const SlotId Variable = variableOf(L, *Loop);
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
