//===- Operators.cpp - From the AST to an effect program: operators -------===//

#include "EffectLowering.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

const EffectLowering::Expr *EffectLowering::unary(const UnaryOperator *E) {
  const clang::Expr *Of = E->getSubExpr();
  switch (E->getOpcode()) {
  case UO_AddrOf: {
    return Of->getType()->isFunctionType() ? value(Of) : P.address(place(Of));
  }
  case UO_LNot:
    return P.unary(Operator::Not, value(Of));
  case UO_Minus:
    return P.unary(Operator::Negate, value(Of));
  case UO_Not:
    return P.unary(Operator::Complement, value(Of));
  case UO_PostInc:
  case UO_PostDec:
  case UO_PreInc:
  case UO_PreDec: {
    const Expr *At = place(Of);
    const Expr *Old = temporary();
    if (E->isPostfix())
      assign(Old, P.load(At), E->getBeginLoc());
    assign(At,
           P.binary(E->isIncrementOp() ? Operator::Add : Operator::Subtract,
                    P.load(At), P.integer(1)),
           E->getBeginLoc());
    return P.load(E->isPostfix() ? Old : At);
  }
  case UO_Deref:
    return P.load(target(value(Of)));
  default:
    return value(Of);
  }
}

static std::optional<collectives::Operator> operatorOf(BinaryOperatorKind K) {
  using O = collectives::Operator;
  switch (K) {
  case BO_Add:
  case BO_AddAssign:
    return O::Add;
  case BO_Sub:
  case BO_SubAssign:
    return O::Subtract;
  case BO_Mul:
  case BO_MulAssign:
    return O::Multiply;
  case BO_Div:
  case BO_DivAssign:
    return O::Divide;
  case BO_Rem:
  case BO_RemAssign:
    return O::Remainder;
  case BO_And:
  case BO_AndAssign:
    return O::BitAnd;
  case BO_Or:
  case BO_OrAssign:
    return O::BitOr;
  case BO_Xor:
  case BO_XorAssign:
    return O::BitXor;
  case BO_Shl:
  case BO_ShlAssign:
    return O::ShiftLeft;
  case BO_Shr:
  case BO_ShrAssign:
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

/// `x != x` asks whether `x` is a number, which no comparison of it tells.
static bool asksForNan(const BinaryOperator *E, const ASTContext &Ctx) {
  if (!E->isEqualityOp() || !E->getLHS()->getType()->isRealFloatingType() ||
      E->getLHS()->HasSideEffects(Ctx))
    return false;
  llvm::FoldingSetNodeID L, R;
  E->getLHS()->IgnoreParenImpCasts()->Profile(L, Ctx, /*Canonical=*/true);
  E->getRHS()->IgnoreParenImpCasts()->Profile(R, Ctx, /*Canonical=*/true);
  return L == R;
}

const EffectLowering::Expr *EffectLowering::isNan(const clang::Expr *X) {
  Expr Out;
  Out.Kind = ExprKind::Apply;
  Out.Trust = Trust::Input;
  Out.Name = "isnan";
  Out.Operands = {value(X)};
  return P.add(std::move(Out));
}

const EffectLowering::Expr *EffectLowering::binary(const BinaryOperator *E) {
  if (E->getOpcode() == BO_Comma) {
    value(E->getLHS());
    return value(E->getRHS());
  }
  if (E->getOpcode() == BO_Assign) {
    const QualType T = E->getLHS()->getType();
    const Expr *Into = place(E->getLHS());
    if (T->isRecordType()) {
      const Expr *From = place(E->getRHS());
      Stmt &S = emit(Kind::Copy, E->getOperatorLoc());
      S.Target = Into;
      S.Value = From;
    } else {
      assign(Into, value(E->getRHS()), E->getOperatorLoc());
    }
    return P.load(Into);
  }
  const auto Op = operatorOf(E->getOpcode());
  if (!Op)
    return visited(E);
  if (asksForNan(E, Ctx))
    return P.binary(*Op, isNan(E->getLHS()), P.integer(0));
  // What a pointer points to after steps through an array is in the array.
  const bool Steps =
      E->getType()->isPointerType() && E->getRHS()->getType()->isIntegerType();
  const auto Combined = [&](const Expr *L) {
    const Expr *R = value(E->getRHS());
    if (!Steps)
      return P.binary(*Op, L, R);
    const Expr *By = *Op == Operator::Add ? R : P.unary(Operator::Negate, R);
    return P.address(element(L, By, true));
  };
  if (E->isCompoundAssignmentOp()) {
    const Expr *Into = place(E->getLHS());
    assign(Into, Combined(P.load(Into)), E->getOperatorLoc());
    return P.load(Into);
  }
  return Combined(value(E->getLHS()));
}

/// A right side that does something is a branch.
const EffectLowering::Expr *EffectLowering::logical(const BinaryOperator *E) {
  const bool IsAnd = E->getOpcode() == BO_LAnd;
  const Expr *L = value(E->getLHS()), *R = nullptr;
  std::vector<const Stmt *> Inner = made([&] { R = value(E->getRHS()); });
  if (Inner.empty())
    return P.binary(IsAnd ? Operator::And : Operator::Or, L, R);
  const Expr *Result = temporary();
  Inner.push_back(assignment(Result, P.unary(Operator::ToBool, R)));
  const Stmt *Short = assignment(Result, P.integer(!IsAnd));
  const Stmt *Long = sequence(std::move(Inner));
  Stmt &S = emit(Kind::If, E->getOperatorLoc());
  S.Value = L;
  S.Body = {IsAnd ? Long : Short, IsAnd ? Short : Long};
  return P.load(Result);
}

const EffectLowering::Expr *
EffectLowering::conditional(const AbstractConditionalOperator *E) {
  const Expr *If = value(E->getCond());
  std::vector<const Stmt *> Arms[2];
  const Expr *Values[2];
  const bool IsVoid = E->getType()->isVoidType();
  for (const bool True : {true, false})
    Arms[!True] = made([&] {
      Values[!True] = value(True ? E->getTrueExpr() : E->getFalseExpr());
    });
  if (Arms[0].empty() && Arms[1].empty())
    return conditionalOf(If, Values[0], Values[1]);
  const Expr *Result = temporary();
  std::vector<const Stmt *> Body;
  for (const unsigned I : {0u, 1u}) {
    if (!IsVoid)
      Arms[I].push_back(assignment(Result, Values[I]));
    Body.push_back(sequence(std::move(Arms[I])));
  }
  Stmt &S = emit(Kind::If, E->getQuestionLoc());
  S.Value = If;
  S.Body = std::move(Body);
  return P.load(Result);
}

} // namespace spmd::lint::effects
