//===- ElementTurns.h - Lists of which two elements take turns --*- C++ -*-===//
//
// `g[now]` is computed while `g[1 - now]` is communicated: two buffers in turns
// are one list, and what is done to one of them is not done to the other.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_ELEMENTTURNS_H
#define SPMD_LINT_LOWER_ELEMENTTURNS_H

#include "clang/AST/Decl.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace spmd::lint::lower {

class ElementTurns {
public:
  explicit ElementTurns(const clang::FunctionDecl *FD);

  /// Whether \p Index names the one of \p List's elements whose turn it is not,
  /// while the function names the other one, too.
  bool isOther(const clang::Expr *List, const clang::Expr *Index) const;

private:
  friend class IndexFinder;
  /// Whether \p Index is `1 - now`, `now ^ 1`, `(i + 1) % 2`, `!now`, or a
  /// number that is made of one, by \p Depth steps at most.
  bool isOther(const clang::Expr *Index, unsigned Depth = 3) const;

  llvm::DenseMap<const clang::ValueDecl *,
                 llvm::SmallVector<const clang::Expr *, 2>>
      Given; ///< what each number is at some time
  llvm::DenseSet<const clang::ValueDecl *> Swapped, WithPlainIndex;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_ELEMENTTURNS_H
