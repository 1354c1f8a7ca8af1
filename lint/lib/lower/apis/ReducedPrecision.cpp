//===- ReducedPrecision.cpp - Numbers that are classes: half, bfloat16 ----===//
//
// `(float)g[0]` of a bfloat16 is a call, and so is `a * b`: a build in reduced
// precision computes what one in float does.
//
//===----------------------------------------------------------------------===//

#include "../Recognisers.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

static bool isNumber(const Expr *E) {
  return classify(E->getType().getNonReferenceType()) == TypeClass::Scalar;
}

/// The rule of an operator, for one or two operands; null for all others.
static const OpRule *ruleOf(OverloadedOperatorKind Op, std::size_t Operands) {
  const ScalarRules &R = ScalarRules::get();
  switch (Op) {
  case OO_Plus:
  case OO_PlusEqual:
    return Operands == 2 ? &R.Add : &R.Copy;
  case OO_Minus:
  case OO_MinusEqual:
    return Operands == 2 ? &R.Sub : &R.Neg;
  case OO_Star:
  case OO_StarEqual:
    return &R.Mul;
  case OO_Slash:
  case OO_SlashEqual:
    return &R.Div;
  case OO_EqualEqual:
    return &R.Equal;
  case OO_ExclaimEqual:
    return &R.Unequal;
  case OO_Less:
  case OO_LessEqual:
  case OO_Greater:
  case OO_GreaterEqual:
    return &R.Compare;
  default:
    return nullptr;
  }
}

static bool assigns(OverloadedOperatorKind Op) {
  return Op == OO_PlusEqual || Op == OO_MinusEqual || Op == OO_StarEqual ||
         Op == OO_SlashEqual;
}

Recognised lowerReducedPrecision(FunctionLowering &L, const CallSite &C) {
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
  const OpRule *Rule = ruleOf(Op, Numbers.size());
  if (!Rule || Numbers.size() > Rule->Formals.size())
    return std::nullopt;
  llvm::SmallVector<Operand, 2> Operands;
  for (const Expr *E : Numbers)
    Operands.push_back(L.operand(E));
  if (!assigns(Op))
    return L.emitOp(*Rule, Operands, C.Call);
  // Of a buffer, one element among others.
  const bool Partial = !isa<DeclRefExpr>(Numbers[0]->IgnoreParenImpCasts());
  L.emitOp(*Rule, Operands, C.Call, Operands[0].Slot, Partial);
  return Operands[0].Slot;
}

} // namespace spmd::lint::lower
