//===- GradientBuffers.h - Gradients that lie in a buffer -------*- C++ -*-===//
//
// `p.mutable_grad() = flat.narrow(…)` of a new buffer: backward passes add to
// that from then on, and who reduces it reduces the gradients.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_GRADIENTBUFFERS_H
#define SPMD_LINT_LOWER_GRADIENTBUFFERS_H

#include "cxx/CallSite.h"

namespace spmd::lint::lower {

/// The tensor whose gradient \p Assignment, in \p In, puts into a buffer in
/// which nothing is yet; null: it gives it a value.
const clang::Expr *placedGradient(const CallSite &Assignment,
                                  const clang::FunctionDecl *In);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_GRADIENTBUFFERS_H
