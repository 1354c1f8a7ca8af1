//===- Steps.h - Single steps, and what they cost ---------------*- C++ -*-===//

#ifndef SPMD_PLANNER_LIB_STEPS_H
#define SPMD_PLANNER_LIB_STEPS_H

#include "Cost.h"

#include "spmd/planner/Plan.h"

#include <limits>
#include <memory>

namespace spmd::planner {

/// For each of several axes the dim that it comes to shard, or none.
using Targets = ShortVector<std::optional<unsigned>, 3>;

/// Builds a plan step by step.
class PlanBuilder {
public:
  PlanBuilder(const Layout &From, const Shape &S, const Costs &C);

  /// Elements move between ranks, or are dropped, until the layout is \p To;
  /// pending sums stay as they are. No step when no rank changes. False, and
  /// nothing done, when the plan would take longer than \p Limit.
  bool exchange(const Layout &To,
                double Limit = std::numeric_limits<double>::infinity());
  /// exchange(), when no rank lacks anything. False, and nothing done, else.
  bool slice(const Layout &To);
  /// The sum over the axes of \p Over, each of which then shards the dim at its
  /// place in \p Into, or none where that is empty. False, and nothing done,
  /// when the shards would need elements that the rank does not have, or the
  /// plan would take longer than \p Limit.
  bool reduce(const Axes &Over, const Targets &Into,
              double Limit = std::numeric_limits<double>::infinity());
  /// The sum over \p Over, scattered so that each rank gets what it has with
  /// \p To. False, and nothing done, when it has not all of that.
  bool reduceTo(const Layout &To, const Axes &Over);
  /// False, and nothing done, when a rank would have to drop elements.
  bool toPartial(const Layout &To);

  const Layout &layout() const { return Now; }
  double seconds() const { return Out.Seconds; }
  Plan take() { return std::move(Out); }

private:
  /// Whether every rank has the elements that it would have with \p Next.
  bool hasAll(const Blocks &Next) const;
  void add(StepKind K, Axes Over, const Layout &After, Blocks Held,
           double Received, double Seconds);
  Layout cutTowards(const Layout &To) const;
  StepKind nameOf(const Layout &To, const Blocks &Next) const;

  const Shape &S;
  const Costs &C;
  const DeviceMesh &M;
  Layout Now;
  std::shared_ptr<const Blocks> Held; ///< of Now; copies of a plan share it
  Plan Out;
};

} // namespace spmd::planner

#endif // SPMD_PLANNER_LIB_STEPS_H
