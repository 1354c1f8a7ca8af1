//===- Conditions.h - What decides where a block goes on --------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_CONDITIONS_H
#define SPMD_LINT_LOWER_CONDITIONS_H

#include "ExprLowering.h"
#include "ListSizes.h"

#include "clang/Analysis/CFG.h"

namespace spmd::lint::lower {

/// The number that decides where \p B goes on; no operand where that is none.
Operand lowerCondition(ExprLowering &L, MadeSizes &Sizes,
                       const clang::CFGBlock &B);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_CONDITIONS_H
