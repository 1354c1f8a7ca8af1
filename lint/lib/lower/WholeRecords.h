//===- WholeRecords.h - Structs of numbers taken as one buffer --*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_WHOLERECORDS_H
#define SPMD_LINT_LOWER_WHOLERECORDS_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// The members of the struct of numbers that \p E, a pointer to something else
/// or to nothing in particular, points to: `(float *)&weights`, a `weights`
/// that memset() or a collective is given, a local pointer that stays there.
/// Empty if it is no such pointer.
llvm::SmallVector<SlotId, 8> membersOfWhole(ExprLowering &L,
                                            const clang::Expr *E);
/// Those that \p E, `p[i]` of such a pointer, is a number of.
llvm::SmallVector<SlotId, 8> membersAround(ExprLowering &L,
                                           const clang::Expr *E);
/// One buffer that holds what \p Members hold.
Operand gathered(ExprLowering &L, llvm::ArrayRef<SlotId> Members,
                 const clang::Expr *At);
/// Each of \p Members holds what \p Buffer does.
void scatter(ExprLowering &L, Operand Buffer, llvm::ArrayRef<SlotId> Members,
             const clang::Expr *At);
/// Whether what \p E points to may be written through it.
bool mayWriteThrough(const clang::Expr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_WHOLERECORDS_H
