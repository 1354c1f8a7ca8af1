//===- OneRank.h - Code for an axis of one rank -----------------*- C++ -*-===//
//
// `if (tp.size() == 1) return x;`: what runs where there is one rank has
// nothing to reduce or to gather. All types of a value are one type there.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_ONERANK_H
#define SPMD_LINT_LOWER_ONERANK_H

#include "Constancy.h"

#include "clang/Analysis/CFG.h"
#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace spmd::lint::lower {

/// Whether \p E asks for the number of ranks, or is a variable that keeps it.
bool isNumberOfRanks(const clang::Expr *E, const Constancy &Constant);

/// By block, whether it is reached only where some axis has one rank.
std::vector<bool>
findBlocksOfOneRank(llvm::ArrayRef<const clang::CFGBlock *> Blocks,
                    const Constancy &Constant, const clang::ASTContext &Ctx);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_ONERANK_H
