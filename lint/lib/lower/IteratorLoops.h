//===- IteratorLoops.h - Loops that an iterator goes through ----*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_ITERATORLOOPS_H
#define SPMD_LINT_LOWER_ITERATORLOOPS_H

#include "clang/AST/Stmt.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace spmd::lint::lower {

/// `for (auto it = list.begin(); it != list.end(); ++it) …`, also from the last
/// element to the first.
struct IteratorLoop {
  const clang::ForStmt *Loop = nullptr;
  const clang::VarDecl *Iterator = nullptr;
  const clang::Expr *List = nullptr;
  bool Backwards = false;
  /// What begins behind the first element, or ends before the last; or null.
  const clang::Expr *LeavesOut = nullptr;
};

std::optional<IteratorLoop> iteratorLoop(const clang::ForStmt *S);

/// The list at the \p Bound of which \p Iterator is, `list.cbegin()` at
/// "begin"; null if it is at none.
const clang::Expr *listAt(llvm::StringRef Bound, const clang::Expr *Iterator);

/// The iterator that \p E, `*it` or the `it->` of a member, goes to the element
/// of; null if it is none.
const clang::VarDecl *dereferenced(const clang::Expr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_ITERATORLOOPS_H
