//===- ReducedPrecision.cpp - Numbers that are classes: half, bfloat16 ----===//
//
// `(float)g[0]` of a bfloat16 is a call, and so is `a * b`: a build in reduced
// precision computes what one in float does.
//
//===----------------------------------------------------------------------===//

#include "../LowerOperators.h"
#include "../Recognisers.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

static bool isNumber(const Expr *E) {
  return classify(E->getType().getNonReferenceType()) == TypeClass::Scalar;
}

/// The operator of numbers that \p Op is with two operands; none for all
/// others.
static std::optional<BinaryOperatorKind> operatorOf(OverloadedOperatorKind Op) {
  switch (Op) {
  case OO_Plus:
  case OO_PlusEqual:
  case OO_Minus:
  case OO_MinusEqual:
  case OO_Star:
  case OO_StarEqual:
  case OO_Slash:
  case OO_SlashEqual:
  case OO_EqualEqual:
  case OO_ExclaimEqual:
  case OO_Less:
  case OO_LessEqual:
  case OO_Greater:
  case OO_GreaterEqual:
    return BinaryOperator::getOverloadedOpcode(Op);
  default:
    return std::nullopt;
  }
}

Recognised lowerReducedPrecision(ExprLowering &L, const CallSite &C) {
  llvm::SmallVector<const Expr *, 3> Numbers;
  if (C.Receiver)
    Numbers.push_back(C.Receiver);
  llvm::append_range(Numbers, C.Arguments);
  const auto IsClass = [](const Expr *E) {
    return E->getType().getNonReferenceType()->isRecordType();
  };
  if (Numbers.empty() || Numbers.size() > 2 ||
      !llvm::all_of(Numbers, isNumber) || llvm::none_of(Numbers, IsClass))
    return std::nullopt;
  if (C.Receiver && isa<CXXConversionDecl>(C.Callee))
    return L.emitOp(ScalarRules::get().Copy, {L.operand(C.Receiver)}, C.Call);
  const OverloadedOperatorKind Op = C.Callee->getOverloadedOperator();
  if (Numbers.size() == 1) {
    if (Op != OO_Plus && Op != OO_Minus)
      return std::nullopt;
    const ScalarRules &R = ScalarRules::get();
    return L.emitOp(Op == OO_Minus ? R.Neg : R.Copy, {L.operand(Numbers[0])},
                    C.Call);
  }
  const std::optional<BinaryOperatorKind> Kind = operatorOf(Op);
  if (!Kind)
    return std::nullopt;
  const Operand Lhs = L.operand(Numbers[0]), Rhs = L.operand(Numbers[1]);
  return lowerArithmetic(L, *Kind, Numbers[0], Lhs, Rhs, C.Call);
}

} // namespace spmd::lint::lower
