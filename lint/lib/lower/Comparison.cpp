//===- Comparison.cpp - A number compared with a constant -----------------===//

#include "Comparison.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace spmd::lint::lower {

std::optional<Comparison> comparedWithConstant(const BinaryOperator *E,
                                               const ASTContext &Ctx) {
  if (!E->isComparisonOp() || E->getOpcode() == BO_Cmp)
    return std::nullopt;
  Comparison Out{E->getLHS(), E->getOpcode(), 0};
  Expr::EvalResult Value;
  if (!E->getRHS()->EvaluateAsInt(Value, Ctx)) {
    Out.Number = E->getRHS();
    Out.Op = BinaryOperator::reverseComparisonOp(Out.Op);
    if (!E->getLHS()->EvaluateAsInt(Value, Ctx))
      return std::nullopt;
  }
  const std::optional<std::int64_t> To = Value.Val.getInt().tryExtValue();
  if (!To)
    return std::nullopt;
  Out.To = *To;
  return Out;
}

} // namespace spmd::lint::lower
