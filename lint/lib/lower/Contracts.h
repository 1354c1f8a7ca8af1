//===- Contracts.h - Values that meet an annotation -------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_CONTRACTS_H
#define SPMD_LINT_LOWER_CONTRACTS_H

#include "FactWriter.h"

namespace spmd::lint::lower {

/// One of several values of which a return takes one: on its path there is no
/// other that could be what the function promises.
void checkReturn(FactWriter &L, Operand Value, const clang::Expr *At);
/// \p Value is what a call of \p Callee makes, which promises a type.
void checkResult(FactWriter &L, const clang::FunctionDecl *Callee,
                 Operand Value, const clang::Expr *At);
/// \p Value is what a function that is an op is given for \p P.
void checkArgument(FactWriter &L, const clang::ParmVarDecl *P, Operand Value,
                   const clang::Expr *At);
/// What such a function is declared to return, and to leave in what \p P points
/// to; none if nobody says so.
SlotId declaredResult(FactWriter &L, const clang::FunctionDecl *Callee,
                      const clang::Expr *Call);
SlotId declaredOutput(FactWriter &L, const clang::ParmVarDecl *P,
                      const clang::Expr *Call);
/// A value that meets an annotated variable or field, or an element of such,
/// the slot \p Element: the buffer itself where that has no slot of its own.
void checkStore(FactWriter &L, SlotId Target, Operand Value,
                const clang::Stmt *At, SlotId Element = SlotId::None);
/// The same of all that a variable or field of type \p T holds. A number is an
/// element that is alone, and a vector of numbers has elements: as each rank's
/// own they may well be the same.
void checkStore(FactWriter &L, SlotId Target, clang::QualType T, Operand Value,
                const clang::Stmt *At);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_CONTRACTS_H
