//===- Sharding.h - Whole tensors and what each rank has of them *- C++ -*-===//

#ifndef SPMD_ORACLE_SHARDING_H
#define SPMD_ORACLE_SHARDING_H

#include "spmd/oracle/Ranks.h"
#include "spmd/rules/PartitionSpec.h"

#include "llvm/ADT/ArrayRef.h"

#include <random>

namespace spmd::oracle {

/// Sizes of the axes, outermost first, as ranks are numbered.
using MeshSizes = llvm::SmallVector<int, 2>;
int numRanks(const MeshSizes &M);
int coordinate(const MeshSizes &M, int Rank, rules::AxisId A);

/// On each axis a tensor is sharded along a dim, a pending sum, or the same.
struct ShardLayout {
  llvm::SmallVector<rules::DimAxes, 3> Dims; ///< outermost first
  rules::DimAxes Partial;

  bool shards(rules::AxisId A) const;
  bool isPartial(rules::AxisId A) const;
  /// How many shards there are of a dim.
  int count(const MeshSizes &M, std::size_t Dim) const;
  std::string str(const Shape &Sizes) const; ///< "[4@a, 3]{b: P}"
  friend bool operator==(const ShardLayout &, const ShardLayout &) = default;
};

/// All layouts of a tensor on a mesh of two axes.
std::vector<ShardLayout> allLayouts(unsigned Rank);

/// Part \p I of \p Count along a dim, as one axis cuts.
Tensor chunk(const Tensor &X, int Dim, int Count, int I);

/// What \p Rank has of \p Whole, of which it has no part of a sum.
Tensor shardOf(const Tensor &Whole, const ShardLayout &L, const MeshSizes &M,
               int Rank);
/// What each rank has. Addends of pending sums are drawn from \p Random.
Ranks distribute(const Tensor &Whole, const ShardLayout &L, const MeshSizes &M,
                 std::mt19937 &Random);
/// Whether \p X is how \p Whole lies under \p L.
bool reassembles(const Ranks &X, const Tensor &Whole, const ShardLayout &L,
                 const MeshSizes &M);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_SHARDING_H
