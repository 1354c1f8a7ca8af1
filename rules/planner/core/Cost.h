//===- Cost.h - What a step takes on links of several speeds ----*- C++ -*-===//

#ifndef SPMD_PLANNER_LIB_COST_H
#define SPMD_PLANNER_LIB_COST_H

#include "spmd/planner/Layout.h"

namespace spmd::planner {

/// Latency of the slowest link that takes part, once; each element on the
/// fastest link on which it can come.
class Costs {
public:
  Costs(const DeviceMesh &M, const Link &Everywhere);

  const DeviceMesh &mesh() const { return M; }
  /// Axes by the time of their links, slowest first; one group when all are
  /// alike.
  const ShortVector<Axes, 2> &levels() const { return Levels; }

  /// Of any collective in which a rank receives so much.
  double atLeast(double Received) const;
  /// Of a collective whose ranks pass on what they got: an element crosses a
  /// slow link once for all the ranks behind it.
  double ofRing(const Axes &Over, double Received) const;
  /// Of one whose ranks get what they lack from the nearest that has it.
  double ofExchange(const Axes &Over, double Received, const Layout &Now,
                    const Blocks &Held, const Blocks &Next) const;

private:
  const Link &of(AxisIndex A) const;
  double latency(const Axes &Over) const;

  const DeviceMesh &M;
  const Link &Everywhere;
  Link Best; ///< the least latency of all, and the fastest
  ShortVector<Axes, 2> Levels;
};

} // namespace spmd::planner

#endif // SPMD_PLANNER_LIB_COST_H
