//===- Plan.h - From one layout to another ----------------------*- C++ -*-===//
//
// Bytes are what a rank receives, at most over the ranks. A pending sum is
// reduced first, where the target wants its shards or at least where shards
// are; then one exchange brings every rank exactly the elements that it lacks,
// which no plan can do with less. Where links are not alike, what several ranks
// behind a slow link want crosses it once, and is exchanged among them. Values
// that become partial do so at the end, at no cost.
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
  double Seconds = 0;

  bool communicates() const {
    return K != StepKind::Slice && K != StepKind::ToPartial;
  }
};

struct Plan {
  std::vector<Step> Steps;
  double Received = 0;   ///< elements, over all steps
  double Seconds = 0;    ///< by the cost model it was planned with
  std::int64_t Peak = 0; ///< elements of the largest block on the way
  unsigned Collectives = 0;
};

/// The cheapest plan of the form above: it moves no more than any other when
/// nothing is reduced and links are alike. \p Everywhere is the link of axes
/// without their own. The same arguments give the same plan.
Plan planRedistribution(const Layout &From, const Layout &To, const Shape &S,
                        const DeviceMesh &M, const Link &Everywhere = {});

/// What any plan makes the rank that receives most receive: what it lacks; and
/// to reduce, its share of a tree to the sum and one from it. Zero when the
/// target is partial on more axes than the source.
double lowerBound(const Layout &From, const Layout &To, const Shape &S,
                  const DeviceMesh &M);

/// One axis at a time, as a planner without flattened axes would: gather what
/// is in the way, from the minor end, exchange where only one axis moves,
/// slice. The baseline of the benchmark.
Plan planGreedily(const Layout &From, const Layout &To, const Shape &S,
                  const DeviceMesh &M, const Link &Everywhere = {});

/// Runs a plan on simulated ranks. Empty when every step finds what it needs
/// on the ranks that take part, receives what it says, and the result means
/// what the source means; else what went wrong.
std::string simulate(const Plan &P, const Layout &From, const Layout &To,
                     const Shape &S, const DeviceMesh &M);

} // namespace spmd::planner

#endif // SPMD_PLANNER_PLAN_H
