//===- FilledParts.h - Buffers that a call fills in part --------*- C++ -*-===//
//
// `ncclBroadcast(mine, all, n, …); cudaMemcpy(here, all, size * n *
// sizeof(long), …);`: of memory that was allocated for what a gather brings, a
// call that brings one rank's alone leaves the most as it was.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_FILLEDPARTS_H
#define SPMD_LINT_EFFECTS_FILLEDPARTS_H

#include "clang/AST/Expr.h"

namespace spmd::lint::effects {

/// The copy that takes more of \p Buffer, a local pointer to memory that its
/// function allocates, than \p Count elements of \p Bytes each, which \p Call
/// puts there and nothing else does; null if there is none.
const clang::CallExpr *copyOfMore(const clang::Expr *Buffer,
                                  const clang::Expr *Call,
                                  const clang::Expr *Count, std::uint64_t Bytes,
                                  const clang::ASTContext &Ctx);

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_FILLEDPARTS_H
