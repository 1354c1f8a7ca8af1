//===- Search.h - The best choices for a problem ----------------*- C++ -*-===//

#ifndef SPMD_SHARDING_SEARCH_H
#define SPMD_SHARDING_SEARCH_H

#include "spmd/sharding/Problem.h"

namespace spmd::sharding {

struct Solution {
  std::vector<unsigned> Choice; ///< by the problem's variables and options
  double Seconds = 0;
  bool IsExact = true;
  bool FitsMemory = true;
  std::optional<double> LowerBound; ///< where it is known
};

/// The least time within the memory of \p Costs. Exact by elimination; where a
/// table would have more than \p MaxEntries, a beam (see Search.cpp).
Solution search(const Problem &P, const CostModel &Costs,
                std::size_t MaxEntries);

} // namespace spmd::sharding

#endif // SPMD_SHARDING_SEARCH_H
