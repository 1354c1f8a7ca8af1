//===- PartAmounts.h - How much there is of one kind of work ----*- C++ -*-===//
//
//   if (n_long > 0) attend_long<<<n_long, ...>>>(out, ...);
//   if (n_short > 0) attend_short<<<n_short, ...>>>(out, ...);
//
// Where a number is zero there is mostly nothing to do, so that what is left
// out then is not missing. Where two of them fill one buffer, there may be the
// work of the other.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_PARTAMOUNTS_H
#define SPMD_LINT_LOWER_PARTAMOUNTS_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::lint::lower {

class PartAmounts {
public:
  explicit PartAmounts(const clang::FunctionDecl *FD);

  /// Whether \p Condition, `n > 0`, asks if there is any of such a part.
  bool askedIn(const clang::Expr *Condition) const;

private:
  const clang::ASTContext &Ctx;
  llvm::StringSet<> Found; ///< as they are written
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_PARTAMOUNTS_H
