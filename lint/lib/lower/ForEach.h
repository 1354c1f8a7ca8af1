//===- ForEach.h - Calls that are loops over a list -------------*- C++ -*-===//
//
// `std::for_each(params.begin(), params.end(), [&](Tensor &p) { ... })` does to
// each tensor of the list what the closure does to its parameter, as a loop
// over it does.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_FOREACH_H
#define SPMD_LINT_LOWER_FOREACH_H

#include "spmd/ops/OpCatalogue.h"

#include "clang/AST/ExprCXX.h"

#include <optional>

namespace spmd::lint::lower {

/// A call of `std::for_each` over tensors.
struct ForEach {
  /// What it begins and ends in: one list, if it goes over all of that.
  const clang::Expr *List = nullptr, *End = nullptr;
  const clang::Expr *Function = nullptr;
  /// What is called with each element; null if that is not seen.
  const clang::FunctionDecl *Called = nullptr;
};
std::optional<ForEach> forEach(const clang::CallExpr *E);
/// The same of a list of structs, or of pointers to such.
std::optional<ForEach> forEachRecord(const clang::CallExpr *E);

/// Whether \p Called may put its parameter into something that outlives the
/// call: a list that the caller goes on with.
bool keepsElement(const clang::FunctionDecl *Called);

/// Whether \p Called may do more with its parameter than look at it.
bool changesElement(const clang::FunctionDecl *Called,
                    const rules::OpCatalogue &Ops);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_FOREACH_H
