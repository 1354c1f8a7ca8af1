//===- Sharding.h - Whole tensors and what each rank has of them *- C++ -*-===//

#ifndef SPMD_ORACLE_SHARDING_H
#define SPMD_ORACLE_SHARDING_H

#include "spmd/oracle/Ranks.h"
#include "spmd/planner/Specs.h"

#include <random>

namespace spmd::oracle {

/// Layouts are those of the planner, which is not what is checked here.
using planner::DeviceMesh;

/// Axes a and b.
DeviceMesh meshOf(int A, int B);
/// Every layout, also with pending sums.
std::vector<planner::Layout> allLayouts(unsigned Rank, const DeviceMesh &M);
std::string print(const planner::Layout &L, const Shape &Sizes,
                  const DeviceMesh &M); ///< "[4@a, 3]{b: P}"

/// Part \p I of \p Count along a dim, as one axis cuts.
Tensor chunk(const Tensor &X, int Dim, int Count, int I);

/// What \p Rank has of \p Whole, of which it has no part of a sum.
Tensor shardOf(const Tensor &Whole, const planner::Layout &L,
               const DeviceMesh &M, int Rank);
/// What each rank has. Addends of pending sums are drawn from \p Random.
Ranks distribute(const Tensor &Whole, const planner::Layout &L,
                 const DeviceMesh &M, std::mt19937 &Random);
/// Whether \p X is how \p Whole lies under \p L.
bool reassembles(const Ranks &X, const Tensor &Whole, const planner::Layout &L,
                 const DeviceMesh &M);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_SHARDING_H
