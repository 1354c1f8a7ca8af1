//===- RankNumbers.h - Numbers made of ranks --------------------*- C++ -*-===//
//
//   batch = data + rank * rows;
//
// Where it begins is another place on each rank, which no part of a layout that
// all ranks have is.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_RANKNUMBERS_H
#define SPMD_LINT_LOWER_RANKNUMBERS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace spmd::lint::lower {

/// Asked of any order of what a file does: what is a rank somewhere is one.
class RankNumbers {
public:
  /// Of a file with these bodies, which are read when somebody asks.
  explicit RankNumbers(llvm::ArrayRef<const clang::FunctionDecl *> Bodies)
      : Bodies(Bodies) {}

  /// Whether the pointer \p E is as far behind something as a rank says.
  bool areSteps(const clang::Expr *E) const;

private:
  friend class RankNumbersVisitor;
  void readBodies() const;
  bool areStepsOf(const clang::Expr *E, unsigned Depth) const;
  bool isOf(const clang::Expr *E) const;
  bool isOf(const clang::ValueDecl *D) const;

  llvm::ArrayRef<const clang::FunctionDecl *> Bodies;
  mutable bool AreRead = false;
  mutable llvm::DenseMap<const clang::ValueDecl *,
                         std::vector<const clang::Expr *>>
      Values; ///< that are put into it
  mutable llvm::DenseMap<const clang::ValueDecl *, bool> Known;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_RANKNUMBERS_H
