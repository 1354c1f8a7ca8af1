//===- AllLayouts.h - Every layout of a rank on a mesh ----------*- C++ -*-===//

#ifndef SPMD_PLANNER_ALLLAYOUTS_H
#define SPMD_PLANNER_ALLLAYOUTS_H

#include "spmd/planner/Layout.h"

namespace spmd::planner {

/// All ways to shard a tensor of \p Rank dims: every axis on a dim, in every
/// order, on none, or (\p WithPartial) partial.
std::vector<Layout> allLayouts(unsigned Rank, const DeviceMesh &M,
                               bool WithPartial);

} // namespace spmd::planner

#endif // SPMD_PLANNER_ALLLAYOUTS_H
