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

/// Beyond these a search is a heuristic.
struct SearchLimits {
  std::size_t MaxEntries = std::size_t(1) << 24; ///< of a table
  /// Of a variable. Two axes have fewer, three have not.
  std::size_t MaxOptions = 400;
};

/// The least time within the memory of \p Costs. Exact by elimination; else a
/// beam (Search.cpp), or one or two axes at a time (AxisSearch.cpp).
Solution search(const Problem &P, const CostModel &Costs,
                const SearchLimits &Limits = {});

/// For each variable an option, by what problems with fewer axes, and then two
/// axes at a time beside the others, are best at; from \p Start where given.
/// Nothing when no start can be.
std::optional<std::vector<unsigned>>
searchByAxes(const Problem &P, const CostModel &Costs, double PerByte,
             const SearchLimits &Limits,
             const std::vector<unsigned> *Start = nullptr);

/// The best where each variable has only the options that \p Keep names;
/// nothing when one has none, or tables are too large.
std::optional<std::vector<unsigned>>
bestAmong(const Problem &P, double PerByte, std::size_t MaxEntries,
          llvm::function_ref<bool(unsigned Variable, unsigned Option)> Keep);

} // namespace spmd::sharding

#endif // SPMD_SHARDING_SEARCH_H
