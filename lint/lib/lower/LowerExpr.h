//===- LowerExpr.h - One expression, by its kind ----------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWEREXPR_H
#define SPMD_LINT_LOWER_LOWEREXPR_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// The slot of \p E, whose parts were lowered before or are now; None where it
/// is nothing that the analysis tracks.
SlotId lowerExpr(ExprLowering &L, const clang::Expr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWEREXPR_H
