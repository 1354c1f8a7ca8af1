//===- Stores.h - What assignments write ------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_STORES_H
#define SPMD_LINT_LOWER_STORES_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// A value stored into what \p Target denotes, by a call with \p Arguments.
void store(ExprLowering &L, const clang::Expr *Target, Operand Value,
           const clang::Expr *At,
           llvm::ArrayRef<rules::OpArgument> Arguments = {});
SlotId lowerAssign(ExprLowering &L, const clang::Expr *Target,
                   const clang::Expr *Value, const clang::Expr *At);
/// Whether \p Owner, set to \p Value or to nothing where that is null, lets go
/// of an object of the program's, which ends there as what it is.
bool endsObject(const clang::Expr *Owner, const clang::Expr *Value);
/// `x.mutable_grad()`, which is assigned as a variable is.
bool namesGradient(const clang::Expr *E);
/// \p Dst points to storage that holds nothing yet, of \p Numbers if that is
/// known.
void assignNewStorage(ExprLowering &L, SlotId Dst, const clang::Expr *At,
                      bool Numbers);
/// Memory for numbers that nobody has written.
SlotId newMemory(ExprLowering &L, const clang::Expr *At);
/// Whether \p E is a call of malloc or its like, of which the memory is not
/// cleared.
bool isAllocation(const clang::Expr *E);
/// Whether what has the type \p T is another name of what \p Init names.
bool refers(clang::QualType T, const clang::Expr *Init);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_STORES_H
