//===- Comparison.h - A number compared with a constant ---------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_COMPARISON_H
#define SPMD_LINT_LOWER_COMPARISON_H

#include "clang/AST/Expr.h"

#include <optional>

namespace spmd::lint::lower {

/// `stage == 2`, and `2 == stage` the same way round.
struct Comparison {
  const clang::Expr *Number = nullptr;
  clang::BinaryOperatorKind Op = clang::BO_EQ;
  std::int64_t To = 0;
};

/// None where \p E compares nothing, or not with a constant.
std::optional<Comparison> comparedWithConstant(const clang::BinaryOperator *E,
                                               const clang::ASTContext &Ctx);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_COMPARISON_H
