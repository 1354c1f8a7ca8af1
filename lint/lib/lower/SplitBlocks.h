//===- SplitBlocks.h - Blocks that a statement ends -------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_SPLITBLOCKS_H
#define SPMD_LINT_LOWER_SPLITBLOCKS_H

#include "ExprLowering.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace spmd::lint::lower {

/// What the collective that the facts from \p Before on are of does to one
/// element of a list, as \p One says, it does not do to the others.
void guardElement(ExprLowering &L, std::size_t Before, const clang::Expr *Call,
                  rules::BranchTest One);

/// `backward(x, g, micro == accum - 1)`, in the facts from \p Before on: a call
/// with true in the iterations for which \p TestOf says what they are, and one
/// with false in the others.
void splitCall(
    ExprLowering &L, std::size_t Before, const clang::CallExpr *Call,
    llvm::function_ref<std::optional<rules::BranchTest>(const clang::Expr *)>
        TestOf);

/// Blocks from \p Numbered on were added: each comes behind the one that leads
/// to it, as an edge to a lower number goes back in a loop.
void orderBlocks(rules::Function &F, std::size_t Numbered);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_SPLITBLOCKS_H
