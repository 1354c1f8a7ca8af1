//===- LoopCounters.h - What counts the iterations of a loop ----*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOOPCOUNTERS_H
#define SPMD_LINT_LOWER_LOOPCOUNTERS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace spmd::lint::lower {

/// Whether \p VD is a number that each run of a loop has anew.
bool isLoopNumber(const clang::VarDecl *VD);
/// The one number that \p S, `for (int i = 0; …)`, declares; null if there is
/// none.
const clang::VarDecl *numberOf(const clang::ForStmt *S);
/// Those that are one number in each iteration of \p Loop, and another in the
/// next: the number of a `for` that only its step changes, and what a statement
/// of the body, `++count;`, is the last to mention.
llvm::SmallVector<const clang::VarDecl *, 1>
iterationCounters(const clang::Stmt *Loop);

/// Whether \p In may change \p VD.
bool changes(const clang::Stmt *In, const clang::VarDecl *VD);
/// Whether nothing in its function changes \p VD, a local number.
bool neverChanges(const clang::VarDecl *VD);

/// Which numbers of a function take one value after another: those that the
/// steps of its loops change, what is made of them and, on a GPU, of the
/// thread's number.
class SteppedNumbers {
public:
  explicit SteppedNumbers(const clang::FunctionDecl *FD);
  /// Whether \p E is made of such a number.
  bool isIn(const clang::Expr *E) const;

private:
  llvm::DenseSet<const clang::VarDecl *> Stepped;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOOPCOUNTERS_H
