//===- Prices.h - What it takes to redistribute a value ---------*- C++ -*-===//
//
// Forward, from how its producer makes it to how a consumer wants it; backward,
// the gradient goes from the dual of the one to the dual of the other. Both are
// plans of the redistribution planner.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_SHARDING_PRICES_H
#define SPMD_SHARDING_PRICES_H

#include "spmd/sharding/Budget.h"
#include "spmd/sharding/CostModel.h"
#include "spmd/sharding/Graph.h"

#include "spmd/planner/Plan.h"

#include <map>

namespace spmd::sharding {

struct Price {
  double Forward = 0, Backward = 0; ///< seconds
  double total() const { return Forward + Backward; }
};

class Prices {
public:
  explicit Prices(const CostModel &Costs) : Costs(Costs) {}

  /// From now on tensors that are as large and move alike are taken for one.
  /// Their prices differ by a few percent, where they do.
  void beRough() { IsRough = true; }

  /// Nothing when no operators lead there.
  std::optional<Price> redistribution(const Value &V, const ValueType &From,
                                      const ValueType &To);
  /// Making the gradient of a value that is stored so complete: what it has
  /// pending is summed over its replicas.
  Price reduction(const Value &V, const ValueType &Stored);

  planner::Plan plan(const Value &V, const planner::Layout &From,
                     const planner::Layout &To) const;

  /// What is left for all that asks here.
  Budget Left;

private:
  planner::Plan plan(const planner::Shape &Sizes, int ElementBytes,
                     const planner::Layout &From,
                     const planner::Layout &To) const;
  double seconds(const Value &V, const planner::Layout &From,
                 const planner::Layout &To);

  const CostModel &Costs;
  bool IsRough = false;
  /// By sizes, bytes of an element and both layouts, as numbers.
  std::map<std::vector<std::int64_t>, double> Known;
};

} // namespace spmd::sharding

#endif // SPMD_SHARDING_PRICES_H
