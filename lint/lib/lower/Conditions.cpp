//===- Conditions.cpp - What decides where a block goes on ----------------===//
//
// A loop over a vector goes on as often as that has elements: where each rank
// has made it with another number of them, some ranks make more rounds.
//
//===----------------------------------------------------------------------===//

#include "Conditions.h"

#include "apis/Clocks.h"

#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// Whether \p E is computed from numbers of the host's: what a pointer, a
/// handle or an iterator is equal to says nothing about what it points to.
static bool isOfNumbers(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_LNot)
    return isOfNumbers(U->getSubExpr());
  if (const auto *B = dyn_cast<BinaryOperator>(E);
      B && (B->isComparisonOp() || B->isLogicalOp()))
    return isOfNumbers(B->getLHS()) && isOfNumbers(B->getRHS());
  // Operators of classes compare handles, but for those that lead to a number.
  if (const auto *X = dyn_cast<CXXOperatorCallExpr>(E);
      X && X->getOperator() != OO_Subscript && X->getOperator() != OO_Star)
    return comparesTimes(X);
  return E->getType()->isArithmeticType() || E->getType()->isEnumeralType();
}

/// The vector that a loop goes over by a range, or to the size of which a
/// condition compares a number; null if it does not.
static const Expr *listAsked(const CFGBlock &B) {
  if (const auto *Range =
          dyn_cast_or_null<CXXForRangeStmt>(B.getTerminatorStmt()))
    return Range->getRangeInit();
  const Expr *E = B.getTerminatorCondition() ? B.getLastCondition() : nullptr;
  const auto *Compared =
      E ? dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts()) : nullptr;
  return Compared && Compared->isRelationalOp() ? listOfSize(Compared->getRHS())
                                                : nullptr;
}

Operand lowerCondition(ExprLowering &L, MadeSizes &Sizes, const CFGBlock &B) {
  if (const Expr *List = listAsked(B))
    if (const Operand Size = L.operandOrNone(Sizes.of(List));
        Size.Slot != SlotId::None)
      return {Size.Slot, L.place(List)};
  const Expr *E = B.getTerminatorCondition() ? B.getLastCondition() : nullptr;
  if (!E || !isOfNumbers(E) || E->isTypeDependent() || E->containsErrors())
    return {};
  const Operand If = L.operand(E);
  // The ways of a switch are not those of true and false.
  if (If.Slot != SlotId::None &&
      isa_and_nonnull<SwitchStmt>(B.getTerminatorStmt()))
    return {L.emitOp(ScalarRules::get().Math, {If}, E), If.At};
  return If;
}

} // namespace spmd::lint::lower
