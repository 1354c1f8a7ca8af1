//===- Stores.h - What assignments write ------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_STORES_H
#define SPMD_LINT_LOWER_STORES_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// A value stored into what \p Target denotes.
void store(ExprLowering &L, const clang::Expr *Target, Operand Value,
           const clang::Expr *At);
SlotId lowerAssign(ExprLowering &L, const clang::Expr *Target,
                   const clang::Expr *Value, const clang::Expr *At);
/// `x.mutable_grad()`, which is assigned as a variable is.
bool namesGradient(const clang::Expr *E);
/// \p Dst points to storage that holds nothing yet.
void assignNewStorage(ExprLowering &L, SlotId Dst, const clang::Expr *At);
/// Whether what has the type \p T is another name of what \p Init names.
bool refers(clang::QualType T, const clang::Expr *Init);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_STORES_H
