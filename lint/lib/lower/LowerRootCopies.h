//===- LowerRootCopies.h - Copies that the root may take as well *- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWERROOTCOPIES_H
#define SPMD_LINT_LOWER_LOWERROOTCOPIES_H

#include "ExprLowering.h"

#include "clang/Analysis/CFG.h"

namespace spmd::lint::lower {

/// Where the ways of the ranks come together again, each has what was sent.
class PendingCopies {
public:
  void enter(ExprLowering &L, const clang::CFGBlock &B);
  void leave(ExprLowering &L, const clang::CFGBlock &B);

private:
  llvm::DenseMap<const clang::CFGBlock *,
                 llvm::SmallVector<const RootCopies::Copy *, 2>>
      At;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERROOTCOPIES_H
