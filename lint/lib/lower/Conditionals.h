//===- Conditionals.h - The branches of `c ? a : b` -------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_CONDITIONALS_H
#define SPMD_LINT_LOWER_CONDITIONALS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace spmd::lint::lower {

class Conditionals {
public:
  explicit Conditionals(const clang::FunctionDecl *FD);

  /// The expression that \p E is a branch of, or null.
  const clang::AbstractConditionalOperator *
  withBranch(const clang::Expr *E) const {
    return BranchOf.lookup(E);
  }
  /// By itself, or as a branch of what is.
  bool isReturned(const clang::Expr *E) const { return Returned.contains(E); }

private:
  llvm::DenseMap<const clang::Expr *,
                 const clang::AbstractConditionalOperator *>
      BranchOf;
  llvm::DenseSet<const clang::Expr *> Returned;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_CONDITIONALS_H
