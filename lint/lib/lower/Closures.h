//===- Closures.h - Lambdas, and who may run them ---------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_CLOSURES_H
#define SPMD_LINT_LOWER_CLOSURES_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// The closure holds its captures as fields; calls bring it as receiver.
SlotId lowerLambda(ExprLowering &L, const clang::LambdaExpr *E);
/// Unknown code has \p Argument: if it is a closure, it may be run.
void lendClosure(ExprLowering &L, const clang::Expr *Argument,
                 const clang::Expr *At);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_CLOSURES_H
