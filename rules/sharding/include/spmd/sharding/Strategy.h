//===- Strategy.h - A way to run an op on shards ----------------*- C++ -*-===//

#ifndef SPMD_SHARDING_STRATEGY_H
#define SPMD_SHARDING_STRATEGY_H

#include "spmd/sharding/CostModel.h"
#include "spmd/sharding/Graph.h"

namespace spmd::sharding {

/// Seconds of computing.
struct Work {
  double Forward = 0, Backward = 0;
  double total() const { return Forward + Backward; }
};

struct Strategy {
  llvm::SmallVector<ValueType, 3> Wanted; ///< by operand; of numbers: nothing
  ValueType Made;
  planner::Axes Added; ///< on which the op adds up shards
  Work Time;
  double KeptBytes = 0; ///< for backward
  /// The axes that shard the batch, and whether no other factor is sharded.
  planner::Axes OfBatch;
  bool HasBatch = false;
  bool OnlyBatch = true;
};

/// All ways that the op's factor rule and its local rule accept, with shards
/// of one size: on each axis a factor is sharded, or all operands are replicas,
/// or invariant, or a pending sum goes through.
std::vector<Strategy> strategiesOf(const Graph &G, const Node &N,
                                   const CostModel &Costs);

/// All types that a value can be given or stored in: anything but P. With more
/// axes than two, those of a dim stand in the order of the mesh unless
/// \p AnyOrder.
std::vector<ValueType> storedTypes(const planner::Shape &Sizes,
                                   const planner::DeviceMesh &M,
                                   bool AnyOrder = false);

/// What an op on tensors that lie so takes.
Work workOf(const Graph &G, const Node &N, const Strategy &S,
            const CostModel &Costs);

} // namespace spmd::sharding

#endif // SPMD_SHARDING_STRATEGY_H
