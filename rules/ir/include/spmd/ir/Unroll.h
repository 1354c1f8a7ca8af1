//===- Unroll.h - Loops over a few things that are named --------*- C++ -*-===//

#ifndef SPMD_IR_UNROLL_H
#define SPMD_IR_UNROLL_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/ArrayRef.h"

namespace spmd::rules {

/// Gives each of \p Elements an iteration of its own of the loop of \p F that
/// the block \p Head decides about, whose first way goes on: in it \p Variable,
/// which the iteration begins by binding, is that. The blocks that are added
/// are behind the others. False, and nothing is changed, where the loop is none
/// or has become too long.
bool unroll(Function &F, BlockId Head, SlotId Variable,
            llvm::ArrayRef<Operand> Elements);

} // namespace spmd::rules

#endif // SPMD_IR_UNROLL_H
