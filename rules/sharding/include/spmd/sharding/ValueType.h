//===- ValueType.h - How a value lies on all axes ---------------*- C++ -*-===//
//
// On each axis: S(i), P, I, or R where neither the layout nor Invariant has it.
// A replica is not just a layout: the gradient of R is a pending sum, that of I
// is the same on all ranks.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_SHARDING_VALUETYPE_H
#define SPMD_SHARDING_VALUETYPE_H

#include "spmd/planner/Specs.h"
#include "spmd/types/PartitionSpec.h"

namespace spmd::sharding {

using planner::AxisIndex;

struct ValueType {
  planner::Layout Where;
  planner::Axes Invariant; ///< in the order of the mesh

  rules::LocalType on(AxisIndex A) const;
  friend bool operator==(const ValueType &, const ValueType &) = default;
};

/// How the gradient of a value of type \p T lies.
planner::Layout gradientOf(const ValueType &T, const planner::DeviceMesh &M);

/// Whether operators outside of spmd::expert lead from one to the other.
bool isReachable(const ValueType &From, const ValueType &To,
                 const planner::DeviceMesh &M);

/// The annotation: "bf16[B@dp, S, H]{tp: R}", of the axes with more than one
/// rank. \p Sizes as they are to be written.
std::string print(const ValueType &T, llvm::StringRef DType,
                  llvm::ArrayRef<std::string> Sizes,
                  const planner::DeviceMesh &M);

/// What a rank has, in elements; all shards are of one size.
double localElements(const planner::Layout &L, const planner::Shape &S,
                     const planner::DeviceMesh &M);
/// The same as rules see it.
rules::PartitionSpec specOf(const planner::Layout &L, const planner::Shape &S);

} // namespace spmd::sharding

#endif // SPMD_SHARDING_VALUETYPE_H
