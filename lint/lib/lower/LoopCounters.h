//===- LoopCounters.h - What counts the iterations of a loop ----*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOOPCOUNTERS_H
#define SPMD_LINT_LOWER_LOOPCOUNTERS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace spmd::lint::lower {

/// The one number that \p S, `for (int i = 0; …)`, declares; null if there is
/// none.
const clang::VarDecl *numberOf(const clang::ForStmt *S);
/// The same where its step changes it, and nothing else does.
const clang::VarDecl *iterationCounter(const clang::ForStmt *S);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOOPCOUNTERS_H
