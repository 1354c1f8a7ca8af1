//===- Operators.cpp - From the AST to an effect program: operators -------===//

#include "Operators.h"

#include "cxx/KnownTypes.h"
#include "cxx/NanTest.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

const Expr *Operators::unary(const UnaryOperator *E) {
  const clang::Expr *Of = E->getSubExpr();
  switch (E->getOpcode()) {
  case UO_AddrOf: {
    if (isGroupClass(Of->getType()))
      return P.load(Exprs.place(Of)); // the group, by another name
    return Of->getType()->isFunctionType() ? Exprs.value(Of)
                                           : P.address(Exprs.place(Of));
  }
  case UO_LNot:
    return P.unary(Operator::Not, Exprs.value(Of));
  case UO_Minus:
    return P.unary(Operator::Negate, Exprs.value(Of));
  case UO_Not:
    return P.unary(Operator::Complement, Exprs.value(Of));
  case UO_PostInc:
  case UO_PostDec:
  case UO_PreInc:
  case UO_PreDec: {
    const Expr *At = Exprs.place(Of);
    const Expr *Old = P.temporary();
    if (E->isPostfix())
      Out.assign(Old, P.load(At), E->getBeginLoc());
    Out.assign(At,
               P.binary(E->isIncrementOp() ? Operator::Add : Operator::Subtract,
                        P.load(At), P.integer(1)),
               E->getBeginLoc());
    return P.load(E->isPostfix() ? Old : At);
  }
  case UO_Deref:
    return P.load(P.target(Exprs.value(Of)));
  default:
    return Exprs.value(Of);
  }
}

static std::optional<Operator> operatorOf(BinaryOperatorKind K) {
  if (BinaryOperator::isCompoundAssignmentOp(K))
    K = BinaryOperator::getOpForCompoundAssignment(K);
  using O = Operator;
  switch (K) {
  case BO_Add:
    return O::Add;
  case BO_Sub:
    return O::Subtract;
  case BO_Mul:
    return O::Multiply;
  case BO_Div:
    return O::Divide;
  case BO_Rem:
    return O::Remainder;
  case BO_And:
    return O::BitAnd;
  case BO_Or:
    return O::BitOr;
  case BO_Xor:
    return O::BitXor;
  case BO_Shl:
    return O::ShiftLeft;
  case BO_Shr:
    return O::ShiftRight;
  case BO_EQ:
    return O::Equal;
  case BO_NE:
    return O::Unequal;
  case BO_LT:
    return O::Less;
  case BO_LE:
    return O::LessEqual;
  case BO_GT:
    return O::Greater;
  case BO_GE:
    return O::GreaterEqual;
  default:
    return std::nullopt;
  }
}

const Expr *Operators::binary(const BinaryOperator *E) {
  if (E->getOpcode() == BO_Comma) {
    Exprs.value(E->getLHS());
    return Exprs.value(E->getRHS());
  }
  if (E->getOpcode() == BO_Assign) {
    const Expr *Into = Exprs.place(E->getLHS());
    if (E->getLHS()->getType()->isRecordType())
      Out.copy(Into, Exprs.place(E->getRHS()), E->getOperatorLoc());
    else
      Out.assign(Into, Exprs.value(E->getRHS()), E->getOperatorLoc());
    return P.load(Into);
  }
  const auto Op = operatorOf(E->getOpcode());
  if (!Op)
    return nullptr;
  if (asksForNan(E, Ctx))
    return P.binary(*Op,
                    P.apply("isnan", Trust::Input, {Exprs.value(E->getLHS())}),
                    P.integer(0));
  // What a pointer points to after steps through an array is in the array.
  const bool Steps =
      E->getType()->isPointerType() && E->getRHS()->getType()->isIntegerType();
  const auto Combined = [&](const Expr *L) {
    const Expr *R = Exprs.value(E->getRHS());
    if (!Steps)
      return P.binary(*Op, L, R);
    const Expr *By = *Op == Operator::Add ? R : P.unary(Operator::Negate, R);
    return P.address(P.element(L, By, true));
  };
  if (E->isCompoundAssignmentOp()) {
    const Expr *Into = Exprs.place(E->getLHS());
    Out.assign(Into, Combined(P.load(Into)), E->getOperatorLoc());
    return P.load(Into);
  }
  return Combined(Exprs.value(E->getLHS()));
}

const Expr *Operators::logical(const BinaryOperator *E) {
  const bool IsAnd = E->getOpcode() == BO_LAnd;
  const Expr *L = Exprs.value(E->getLHS()), *R = nullptr;
  std::vector<const Stmt *> Inner =
      Out.made([&] { R = Exprs.value(E->getRHS()); });
  if (Inner.empty())
    return P.binary(IsAnd ? Operator::And : Operator::Or, L, R);
  const Expr *Result = P.temporary();
  Inner.push_back(Out.assignment(Result, P.unary(Operator::ToBool, R)));
  const Stmt *Short = Out.assignment(Result, P.integer(!IsAnd));
  const Stmt *Long = Out.sequence(std::move(Inner));
  Stmt &S = Out.emit(Kind::If, E->getOperatorLoc());
  S.Value = L;
  S.Body = {IsAnd ? Long : Short, IsAnd ? Short : Long};
  return P.load(Result);
}

const Expr *Operators::conditional(const AbstractConditionalOperator *E,
                                   bool OfPlaces) {
  const Expr *If = Exprs.value(E->getCond());
  std::vector<const Stmt *> Arms[2];
  const Expr *Values[2];
  const bool IsVoid = E->getType()->isVoidType();
  for (const bool True : {true, false})
    Arms[!True] = Out.made([&] {
      const clang::Expr *Arm = True ? E->getTrueExpr() : E->getFalseExpr();
      Values[!True] = OfPlaces ? P.address(Exprs.place(Arm)) : Exprs.value(Arm);
    });
  if (Arms[0].empty() && Arms[1].empty())
    return P.conditional(If, Values[0], Values[1]);
  const Expr *Result = P.temporary();
  std::vector<const Stmt *> Body;
  for (const unsigned I : {0u, 1u}) {
    if (!IsVoid)
      Arms[I].push_back(Out.assignment(Result, Values[I]));
    Body.push_back(Out.sequence(std::move(Arms[I])));
  }
  Stmt &S = Out.emit(Kind::If, E->getQuestionLoc());
  S.Value = If;
  S.Body = std::move(Body);
  return P.load(Result);
}

} // namespace spmd::lint::effects
