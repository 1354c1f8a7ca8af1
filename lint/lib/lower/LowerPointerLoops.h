//===- LowerPointerLoops.h - Iterations over named structs ------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWERPOINTERLOOPS_H
#define SPMD_LINT_LOWER_LOWERPOINTERLOOPS_H

#include "ExprLowering.h"

#include "clang/Analysis/CFG.h"

namespace spmd::lint::lower {

/// An iteration of a loop over a few structs begins with the declaration of
/// \p VD, which is the first of them until the loop is unrolled. False where it
/// is none, or the structs are not known.
bool beginTurn(ExprLowering &L, const clang::VarDecl *VD);

/// The same of a loop that counts, where \p B is the first block of its body.
void beginTurn(ExprLowering &L, const clang::CFGBlock &B);
/// What the element \p E of a list is in each turn of such a loop; none if
/// \p E is something else.
SlotId turnAt(ExprLowering &L, const clang::Expr *E);

/// A loop, and the block that it begins with.
using PointerTurns =
    std::vector<std::pair<const PointerLoops::Loop *, rules::BlockId>>;

/// Gives each struct of the loops \p Of, outer ones first, its iteration.
void unrollTurns(ExprLowering &L, const PointerTurns &Of);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERPOINTERLOOPS_H
