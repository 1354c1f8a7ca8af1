//===- CountedLoops.h - Loops that count all numbers below one --*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_COUNTEDLOOPS_H
#define SPMD_LINT_LOWER_COUNTEDLOOPS_H

#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace spmd::lint::lower {

/// `for (i = 0; i < n; ++i) { … }`, `for (i = n - 1; i >= 0; --i) { … }` or
/// `i = 0; while (i < n) { …; ++i; }`.
struct CountedLoop {
  const clang::Stmt *Loop = nullptr;
  const clang::VarDecl *Counter = nullptr;
  const clang::Expr *Condition = nullptr;
  const clang::Expr *Bound = nullptr; ///< `n`; null of a cursor
  const clang::Expr *Step = nullptr;
  /// Without the step.
  llvm::SmallVector<const clang::Stmt *, 4> Body;
  bool LeavesOutOne = false; ///< `i = 1`, `i + 1 < n`
};

std::optional<CountedLoop> countedLoop(const clang::ForStmt *S);
/// \p Before is the statement before \p S.
std::optional<CountedLoop> countedLoop(const clang::Stmt *Before,
                                       const clang::WhileStmt *S);

/// Whether \p E is the variable \p VD by its name.
bool isNameOf(const clang::Expr *E, const clang::VarDecl *VD);
/// Whether \p E is a constant, \p Number.
bool isNumber(const clang::Expr *E, std::uint64_t Number,
              const clang::ASTContext &Ctx);
/// `n` of `n - 1`; null of anything else.
const clang::Expr *aboveLast(const clang::Expr *E,
                             const clang::ASTContext &Ctx);
/// Whether \p E is `++VD` or `VD++`, or the same downwards.
bool isStep(const clang::Expr *E, const clang::VarDecl *VD, bool Up);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_COUNTEDLOOPS_H
