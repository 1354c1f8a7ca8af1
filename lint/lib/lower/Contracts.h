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
/// A value that meets an annotated variable or field, or an element of such,
/// the slot \p Element: the buffer itself where that has no slot of its own.
void checkStore(FactWriter &L, SlotId Target, Operand Value,
                const clang::Stmt *At, SlotId Element = SlotId::None);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_CONTRACTS_H
