//===- UnseenCalls.h - Calls of functions that are not seen --- -*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_UNSEENCALLS_H
#define SPMD_LINT_EFFECTS_UNSEENCALLS_H

#include "Accesses.h"

namespace spmd::lint::effects {

/// Code that communicates with nobody by itself.
bool isLibrary(const clang::FunctionDecl *FD);
/// What \p C may do if its body is not seen.
Unseen unseen(const CallSite &C);

class UnseenCalls : PartLowering {
public:
  UnseenCalls(clang::ASTContext &Ctx, StatementWriter &Out,
              ExpressionLowering &Exprs)
      : PartLowering(Out, Exprs), Ctx(Ctx), Touched(Out, Exprs) {}

  const Expr *lower(const CallSite &C);

private:
  /// What is read, written and communicated.
  void touch(const CallSite &C, llvm::ArrayRef<const Expr *> Values);
  const Expr *result(const CallSite &C, llvm::ArrayRef<const Expr *> Values);
  /// What code that is not seen may have written.
  void forgetArgument(const clang::Expr *A, clang::QualType To);

  clang::ASTContext &Ctx;
  Accesses Touched;
};

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_UNSEENCALLS_H
