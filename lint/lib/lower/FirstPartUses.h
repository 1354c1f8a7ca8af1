//===- FirstPartUses.h - Uses of where a global\'s memory begins -*- C++
//-*-===//
//
//   dw = calloc(n + m, …); db = dw + n;
//
// Where code says \p n by `dw` it means the first part alone, else perhaps all.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_FIRSTPARTUSES_H
#define SPMD_LINT_LOWER_FIRSTPARTUSES_H

#include "GlobalArenas.h"

#include "llvm/ADT/DenseSet.h"

namespace spmd::lint::lower {

class FirstPartUses {
public:
  FirstPartUses(const clang::FunctionDecl *FD, const GlobalArenas &Known);

  /// Whether the name \p E of such a global is used for the first part alone.
  bool isAlone(const clang::Expr *E) const { return Alone.contains(E); }

private:
  llvm::DenseSet<const clang::Expr *> Alone;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_FIRSTPARTUSES_H
