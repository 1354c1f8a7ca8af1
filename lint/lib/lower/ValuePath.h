//===- ValuePath.h - Variables and members by their names -------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_VALUEPATH_H
#define SPMD_LINT_LOWER_VALUEPATH_H

#include "clang/AST/Expr.h"

#include <vector>

namespace spmd::lint::lower {

/// The variable or field that \p E names, with all that stands before it on
/// the way: `this->stage->params`. Empty where it names none.
std::vector<const clang::ValueDecl *> pathOf(const clang::Expr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_VALUEPATH_H
