//===- LowerParts.h - Pointers to places in one allocation ------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWERPARTS_H
#define SPMD_LINT_LOWER_LOWERPARTS_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// Before anything else of the body: variables that point to parts of a buffer
/// are names of these.
void nameParts(ExprLowering &L);
/// Whether \p Target is a variable with such a name.
bool isPartName(const ExprLowering &L, const clang::Expr *Target);
bool isPartName(const ExprLowering &L, const clang::VarDecl *VD);
/// What \p E, `grads + n`, `&grads[n]` or the name of where a buffer begins,
/// is of it; None where it is nothing but what it says.
SlotId lowerPart(ExprLowering &L, const clang::Expr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERPARTS_H
