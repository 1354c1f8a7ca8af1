//===- Published.h - What another planner does, as numbers ------*- C++ -*-===//
//
// The redistributions that openxla/shardy publishes with the collectives it
// chooses (shardy/dialect/sdy/transforms/export/test/
// reshard_to_collectives.mlir, as of August 2026). Here are which
// redistributions these are and what they cost by our measures, for one order
// of the ranks, even shards on the whole way, and where something has to move.
// Parts of axes are axes here: x:(1)2 of x=4 is x1 of x1=2,x2=2.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_PLANNER_PUBLISHED_H
#define SPMD_PLANNER_PUBLISHED_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace spmd::planner {

struct PublishedPlan {
  const char *Mesh, *From, *To;
  std::int64_t Received; ///< elements, by the rank that receives most
  unsigned Collectives;
  std::int64_t Peak; ///< elements of the largest block on the way
};

llvm::ArrayRef<PublishedPlan> publishedPlans();

} // namespace spmd::planner

#endif // SPMD_PLANNER_PUBLISHED_H
