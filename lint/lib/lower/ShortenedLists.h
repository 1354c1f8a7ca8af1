//===- ShortenedLists.h - Lists that lose elements --------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_SHORTENEDLISTS_H
#define SPMD_LINT_LOWER_SHORTENEDLISTS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace spmd::lint::lower {

/// `auto some = model->parameters(); some.pop_back();`: who goes over that list
/// from there on leaves a tensor of the model out.
class ShortenedLists {
public:
  explicit ShortenedLists(const clang::FunctionDecl *FD);

  /// What takes elements from the list that \p List names before the loop
  /// \p Loop; null if nothing does.
  const clang::Expr *shortened(const clang::Expr *List,
                               const clang::Stmt *Loop) const;

  /// Whether a loop takes elements from the list one by one: each in its turn
  /// is the first or the last.
  bool isDrained(const clang::Expr *List) const;

private:
  /// The first call that takes an element, by list; of those of which nobody
  /// else has the first or the last element.
  llvm::DenseMap<const clang::VarDecl *, const clang::Expr *> By;
  llvm::DenseSet<const clang::VarDecl *> Drained;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_SHORTENEDLISTS_H
