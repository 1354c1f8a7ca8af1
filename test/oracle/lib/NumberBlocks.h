//===- NumberBlocks.h - Blocks in the order of lowering ---------*- C++ -*-===//

#ifndef SPMD_ORACLE_LIB_NUMBERBLOCKS_H
#define SPMD_ORACLE_LIB_NUMBERBLOCKS_H

#include "spmd/ir/IR.h"

namespace spmd::oracle {

/// Numbers the blocks of \p F in reverse post-order, as those of lowered code
/// are, and drops what cannot be reached.
void numberBlocks(rules::Function &F);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_LIB_NUMBERBLOCKS_H
