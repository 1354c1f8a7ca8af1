//===- Ways.h - The ways through a function ---------------------*- C++ -*-===//

#ifndef SPMD_SHARDING_LIB_WAYS_H
#define SPMD_SHARDING_LIB_WAYS_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

namespace spmd::sharding {

/// The blocks that do not throw or end the program, each after all that lead
/// to it but the ends of a loop that it begins.
struct Ways {
  explicit Ways(const rules::Function &F);

  struct Stop {
    rules::BlockId At;
    llvm::SmallVector<rules::BlockId, 2> Before; ///< earlier in the order
    llvm::SmallVector<rules::BlockId, 2> Again;  ///< ends of the loop
    llvm::DenseSet<std::uint32_t> Loop;          ///< all blocks of it
  };
  std::vector<Stop> Order;
};

} // namespace spmd::sharding

#endif // SPMD_SHARDING_LIB_WAYS_H
