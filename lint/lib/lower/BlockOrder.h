//===- BlockOrder.h - Which block of Clang's is which -----------*- C++ -*-===//
//
// Reverse post-order, so that predecessors come first outside of loops. What is
// behind a loop over all elements of a list has a block of its own.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_BLOCKORDER_H
#define SPMD_LINT_LOWER_BLOCKORDER_H

#include "EachLoops.h"

#include "spmd/ir/IR.h"

#include "clang/Analysis/CFG.h"

namespace spmd::lint::lower {

struct BlockOrder {
  BlockOrder(const clang::CFG &Graph, const EachLoops &Loops);

  std::vector<const clang::CFGBlock *> Blocks;
  unsigned Size = 0; ///< with those behind loops
  llvm::DenseMap<const clang::CFGBlock *, rules::BlockId> NumberOf;
  /// By the block that decides on the loop. Where some elements have no
  /// iteration, the two after it are for those that have one, and for others.
  llvm::DenseMap<const clang::CFGBlock *, rules::BlockId> EndOf;
  /// The same, of the loop that ends there.
  llvm::DenseMap<const clang::Stmt *, rules::BlockId> BehindBreak;
  /// Where the loop begins whose iterations the variable counts.
  llvm::DenseMap<const clang::VarDecl *, rules::BlockId> LoopOf;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_BLOCKORDER_H
