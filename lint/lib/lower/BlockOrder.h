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

#include <optional>

namespace spmd::lint::lower {

class BlockOrder {
public:
  BlockOrder(const clang::CFG &Graph, const EachLoops &Loops);

  llvm::ArrayRef<const clang::CFGBlock *> blocks() const { return Blocks; }
  /// With those behind loops.
  unsigned size() const { return Size; }
  std::optional<unsigned> numberOf(const clang::CFGBlock *B) const;
  /// The block behind the loop that \p B decides on. Where some elements have
  /// no iteration, the two after it are for those that have, and for others.
  std::optional<unsigned> endOf(const clang::CFGBlock *B) const;
  /// The one that begins the loop whose iterations \p VD counts.
  rules::BlockId loopCountedBy(const clang::VarDecl *VD) const;

private:
  using Numbers = llvm::DenseMap<const clang::CFGBlock *, unsigned>;

  std::vector<const clang::CFGBlock *> Blocks;
  unsigned Size = 0;
  Numbers NumberOf, EndOf;
  llvm::DenseMap<const clang::VarDecl *, rules::BlockId> LoopOf;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_BLOCKORDER_H
