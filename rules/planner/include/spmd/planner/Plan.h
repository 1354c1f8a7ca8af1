//===- Plan.h - From one layout to another ----------------------*- C++ -*-===//
//
// Bytes are what a rank receives, at most over the ranks. A pending sum is
// reduced first, where the target wants its shards or at least where shards
// are; then one exchange brings every rank exactly the elements that it lacks,
// which no plan can do with less. Values that become partial do so at the end,
// at no cost.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_PLANNER_PLAN_H
#define SPMD_PLANNER_PLAN_H

#include "spmd/planner/Layout.h"

namespace spmd::planner {

enum class StepKind : std::uint8_t {
  Slice,         ///< every rank keeps a part of what it has
  AllGather,     ///< of the minor axes of one or more dims
  AllToAll,      ///< minor axes move from one dim to the minor end of another
  Permute,       ///< every rank gets the whole block of one other
  Exchange,      ///< every rank gets parts of the blocks of several
  ReduceScatter, ///< the sum over an axis, which then shards a dim
  AllReduce,
  ToPartial, ///< zeros beside what a rank has
};
const char *stepName(StepKind K);

struct Step {
  StepKind K = StepKind::Slice;
  Axes Over; ///< the ranks that take part differ on these only
  Layout After;
  double Received = 0; ///< elements, by the rank that receives most

  bool communicates() const {
    return K != StepKind::Slice && K != StepKind::ToPartial;
  }
};

struct Plan {
  std::vector<Step> Steps;
  double Received = 0;   ///< elements, over all steps
  std::int64_t Peak = 0; ///< elements of the largest block on the way
  unsigned Collectives = 0;
};

/// Seconds for a collective and for an element that a rank receives.
struct CostModel {
  double Latency = 10e-6;
  double PerElement = 4 / 100e9;
  double of(const Plan &P) const {
    return Latency * P.Collectives + PerElement * P.Received;
  }
};

/// The cheapest plan of the form above: it moves no more than any other when
/// nothing is reduced. The same arguments give the same plan.
Plan planRedistribution(const Layout &From, const Layout &To, const Shape &S,
                        const DeviceMesh &M, const CostModel &Cost = {});

/// A numbered list of the steps, then the sums. \p ElementSize in bytes.
std::string explain(const Plan &P, const Layout &From, const Shape &S,
                    const DeviceMesh &M, int ElementSize);

/// What any plan makes the rank that receives most receive: what it lacks; and
/// to reduce, its share of a tree to the sum and one from it. Zero when the
/// target is partial on more axes than the source.
double lowerBound(const Layout &From, const Layout &To, const Shape &S,
                  const DeviceMesh &M);

/// One axis at a time, as a planner without flattened axes would: gather what
/// is in the way, from the minor end, exchange where only one axis moves,
/// slice. The baseline of the benchmark.
Plan planGreedily(const Layout &From, const Layout &To, const Shape &S,
                  const DeviceMesh &M);

/// Runs a plan on simulated ranks. Empty when every step finds what it needs
/// on the ranks that take part, receives what it says, and the result means
/// what the source means; else what went wrong.
std::string simulate(const Plan &P, const Layout &From, const Layout &To,
                     const Shape &S, const DeviceMesh &M);

} // namespace spmd::planner

#endif // SPMD_PLANNER_PLAN_H
