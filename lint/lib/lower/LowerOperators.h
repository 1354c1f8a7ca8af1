//===- LowerOperators.h - Arithmetic on numbers and pointers ----*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWEROPERATORS_H
#define SPMD_LINT_LOWER_LOWEROPERATORS_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// \p Pointer, which \p Steps is, goes on to another element of what it walks,
/// and stays in it.
void stepPointer(ExprLowering &L, Operand Pointer, const clang::Expr *Steps,
                 const clang::Expr *At);
/// A pointer or iterator \p Offset numbers behind \p From. One that takes its
/// turn with others, row by row or thread by thread, is to an element.
SlotId movePointer(ExprLowering &L, Operand From, const clang::Expr *Offset,
                   SlotId To, const clang::Expr *At);
SlotId lowerUnary(ExprLowering &L, const clang::UnaryOperator *E);
SlotId lowerBinary(ExprLowering &L, const clang::BinaryOperator *E);
/// An operator of two numbers; one that assigns stores in \p Left.
SlotId lowerArithmetic(ExprLowering &L, clang::BinaryOperatorKind K,
                       const clang::Expr *Left, Operand Lhs, Operand Rhs,
                       const clang::Expr *At);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWEROPERATORS_H
