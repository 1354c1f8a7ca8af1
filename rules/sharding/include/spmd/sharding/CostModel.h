//===- CostModel.h - What a device and its links do in a second -*- C++ -*-===//
//
// An op takes what its arithmetic takes or what moving its operands and its
// result through memory takes, whichever is longer (the roofline model); both
// for the rank's own shards. A redistribution takes what the planner says.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_SHARDING_COSTMODEL_H
#define SPMD_SHARDING_COSTMODEL_H

#include "spmd/planner/Specs.h"

#include <optional>

namespace spmd::sharding {

/// The defaults are those of an H100 SXM: dense bf16, HBM3.
struct CostModel {
  double FlopsPerSecond = 989e12;
  double BytesPerSecond = 3.35e12;
  /// Links of its axes are per byte here, not per element.
  planner::DeviceMesh Mesh;
  planner::Link Everywhere = {10e-6, 1 / 100e9};
  /// For weights, their gradients, the optimizer and what backward needs, on
  /// each rank.
  std::optional<double> MemoryBytes;
  /// Of the optimizer, for each element of a weight: with Adam a copy of the
  /// weight and two moments, in f32. A step reads and writes them.
  double OptimizerBytes = 12;
  /// Runs of the function for one reduction of the weights' gradients.
  unsigned Accumulate = 1;
};

} // namespace spmd::sharding

#endif // SPMD_SHARDING_COSTMODEL_H
