//===- ListSizes.h - Numbers that say how long a list is --------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LISTSIZES_H
#define SPMD_LINT_LOWER_LISTSIZES_H

#include "clang/AST/Expr.h"

namespace spmd::lint::lower {

/// The list whose size \p E is; null if it is none.
const clang::Expr *listOfSize(const clang::Expr *E);
/// The same for `list.size() / 2` and `list.size() - 1`.
const clang::Expr *listOfPart(const clang::Expr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LISTSIZES_H
