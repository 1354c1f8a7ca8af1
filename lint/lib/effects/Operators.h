//===- Operators.h - Operators of numbers and pointers ----------*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_OPERATORS_H
#define SPMD_LINT_EFFECTS_OPERATORS_H

#include "Recursion.h"

namespace spmd::lint::effects {

class Operators : PartLowering {
public:
  Operators(const clang::ASTContext &Ctx, StatementWriter &Out,
            ExpressionLowering &Exprs)
      : PartLowering(Out, Exprs), Ctx(Ctx) {}

  const Expr *unary(const clang::UnaryOperator *E);
  /// Null: of no such kind.
  const Expr *binary(const clang::BinaryOperator *E);
  /// A right side that does something is a branch.
  const Expr *logical(const clang::BinaryOperator *E);
  /// \p OfPlaces: where the arm's value is, not the value.
  const Expr *conditional(const clang::AbstractConditionalOperator *E,
                          bool OfPlaces = false);

private:
  const clang::ASTContext &Ctx;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_OPERATORS_H
