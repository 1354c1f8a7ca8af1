//===- RootCopies.h - Numbers of which one rank keeps its own ---*- C++ -*-===//
//
//   if (rank == 0) { scanf("%d", &n); h[0] = n; }
//   MPI_Bcast(h, 1, MPI_INT, 0, comm);
//   if (rank != 0) n = h[0];
//
// The root has no need to take the copy that it has sent: it may as well.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_ROOTCOPIES_H
#define SPMD_LINT_LOWER_ROOTCOPIES_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace spmd::lint::lower {

class RootCopies {
public:
  explicit RootCopies(const clang::FunctionDecl *FD);

  struct Copy {
    const clang::Expr *Assignment = nullptr; ///< `n = h[0]`
    const clang::Expr *Kept = nullptr;       ///< `n`
    const clang::Expr *Sent = nullptr;       ///< `h`
  };
  /// The assignments in the branches of \p If that change nothing on the ranks
  /// that take another branch.
  llvm::ArrayRef<Copy> behind(const clang::Stmt *If) const {
    const auto At = Found.find(If);
    return At == Found.end() ? llvm::ArrayRef<Copy>() : At->second;
  }
  /// Null of other statements.
  const Copy *find(const clang::Stmt *Assignment) const;

private:
  llvm::DenseMap<const clang::Stmt *, llvm::SmallVector<Copy, 2>> Found;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_ROOTCOPIES_H
