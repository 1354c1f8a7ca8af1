//===- LowerOperators.cpp - Arithmetic on numbers and pointers ----------===//

#include "LowerOperators.h"

#include "LowerPlaces.h"
#include "Stores.h"

#include "cxx/NanTest.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

static const OpRule *scalarRule(BinaryOperatorKind K) {
  const ScalarRules &R = ScalarRules::get();
  switch (K) {
  case BO_Add:
  case BO_AddAssign:
    return &R.Add;
  case BO_Sub:
  case BO_SubAssign:
    return &R.Sub;
  case BO_Mul:
  case BO_MulAssign:
    return &R.Mul;
  case BO_Div:
  case BO_DivAssign:
    return &R.Div;
  case BO_EQ:
    return &R.Equal;
  case BO_NE:
    return &R.Unequal;
  case BO_LT:
  case BO_GT:
  case BO_LE:
  case BO_GE:
  case BO_LAnd:
  case BO_LOr:
    return &R.Compare;
  default:
    return &R.Math;
  }
}

void stepPointer(ExprLowering &L, Operand Pointer, const Expr *Steps,
                 const Expr *At) {
  // A loop over a range has each element under a name of its own.
  const auto *Ref = dyn_cast<DeclRefExpr>(Steps->IgnoreParenImpCasts());
  if (Ref && Ref->getDecl()->isImplicit())
    return;
  ViewFact V;
  V.K = ViewFact::Kind::Element;
  V.Dst = Pointer.Slot;
  V.Src = Pointer;
  V.At = L.place(At);
  V.Offset = {L.define(DefineFact::Kind::Constant, At), V.At};
  L.emit(V);
}

SlotId lowerUnary(ExprLowering &L, const UnaryOperator *E) {
  const ScalarRules &R = ScalarRules::get();
  const Operand Sub = L.operand(E->getSubExpr());
  if (Sub.Slot == SlotId::None)
    return SlotId::None;
  const bool Scalar = classify(E->getType()) == TypeClass::Scalar;
  switch (E->getOpcode()) {
  case UO_Deref:
  case UO_AddrOf:
  case UO_Plus:
  case UO_Extension:
  case UO_Real:
  case UO_Imag:
    return Sub.Slot;
  case UO_Minus:
    return L.emitOp(R.Neg, {Sub}, E);
  case UO_LNot:
    if (E->getSubExpr()->IgnoreParenImpCasts()->getType()->isPointerType())
      return L.define(DefineFact::Kind::Constant, E);
    return L.emitOp(R.Not, {Sub}, E);
  case UO_PostInc:
  case UO_PostDec:
  case UO_PreInc:
  case UO_PreDec: {
    if (!Scalar)
      return stepPointer(L, Sub, E->getSubExpr(), E), Sub.Slot;
    const SlotId One = L.define(DefineFact::Kind::Constant, E);
    SlotId Old = SlotId::None;
    if (E->isPostfix())
      Old = L.emitOp(R.Copy, {Sub}, E);
    const SlotId New =
        L.emitOp(R.Add, {Sub, {One, Sub.At, /*Scalar=*/true}}, E, Sub.Slot);
    return E->isPostfix() ? Old : New;
  }
  default:
    return L.emitOp(R.Math, {Sub}, E);
  }
}

SlotId movePointer(ExprLowering &L, Operand From, const Expr *Offset, SlotId To,
                   const Expr *At) {
  ViewFact V;
  V.Dst = To;
  V.Src = From;
  V.Offset = L.operand(Offset);
  if (L.Body.stepped().isIn(Offset))
    V.K = ViewFact::Kind::Element;
  V.At = L.place(At);
  L.emit(V);
  return To;
}

SlotId lowerBinary(ExprLowering &L, const BinaryOperator *E) {
  const Expr *Left = E->getLHS(), *Right = E->getRHS();
  if (E->getOpcode() == BO_Comma)
    return L.value(Left), L.value(Right);
  if (E->getOpcode() == BO_Assign)
    return lowerAssign(L, Left, Right, E);
  if (E->isPtrMemOp())
    return L.define(DefineFact::Kind::Unknown, E);
  if (const SlotId Place = lowerPlace(L, E); Place != SlotId::None)
    return Place;
  const Operand Lhs = L.operand(Left), Rhs = L.operand(Right);
  const bool PointerL = Left->getType()->isPointerType(),
             PointerR = Right->getType()->isPointerType();
  if (E->isAdditiveOp() && PointerL != PointerR) {
    const Operand From = PointerL ? Lhs : Rhs;
    return From.Slot == SlotId::None
               ? SlotId::None
               : movePointer(L, From, PointerL ? Right : Left, L.temporary(),
                             E);
  }
  if (PointerL || PointerR) {
    // `p += n` on a variable: the same walk as `p = p + n`.
    if (E->isCompoundAssignmentOp() && Lhs.Slot != SlotId::None)
      return movePointer(L, Lhs, Right, Lhs.Slot, E);
    return L.define(DefineFact::Kind::Constant, E);
  }
  if (asksForNan(E, L.context()))
    return L.emitOp(ScalarRules::get().IsNan, {Lhs}, E);
  return lowerArithmetic(L, E->getOpcode(), Left, Lhs, Rhs, E);
}

SlotId lowerArithmetic(ExprLowering &L, BinaryOperatorKind K, const Expr *Left,
                       Operand Lhs, Operand Rhs, const Expr *At) {
  const OpRule *Rule = scalarRule(K);
  if (!BinaryOperator::isCompoundAssignmentOp(K))
    return L.emitOp(*Rule, {Lhs, Rhs}, At);
  const SlotId Old = L.emitOp(ScalarRules::get().Copy, {Lhs}, Left);
  const SlotId New = L.emitOp(*Rule, {{Old, Lhs.At, Lhs.Scalar}, Rhs}, At);
  store(L, Left, {New, L.place(At), Lhs.Scalar}, At);
  return Lhs.Slot;
}

} // namespace spmd::lint::lower
