//===- GradientHooks.h - What a hook makes of gradients ---------*- C++ -*-===//
//
// `for (auto &p : net->parameters()) p.register_hook([&](Tensor g) { … })`:
// each backward pass gives the hook what it has for a parameter, and leaves
// there what the hook returns.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_APIS_GRADIENTHOOKS_H
#define SPMD_LINT_LOWER_APIS_GRADIENTHOOKS_H

#include "../ExprLowering.h"

namespace spmd::lint::lower {

/// Whether \p Call registers the only hook of the function, of all parameters
/// of a module of its own, and all backward passes of that are seen here.
bool isFollowedHook(ExprLowering &L, const clang::Expr *Call);
/// Emits the backward pass \p Pass, with what such a hook does in it.
void runWithHook(ExprLowering &L, const rules::BackwardFact &Pass,
                 const clang::Expr *At);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_GRADIENTHOOKS_H
