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
  /// Of all tables together, before any variable is gone.
  double MaxFilled = double(1 << 26);
};

/// The least time within the memory of \p Costs. Exact by elimination; else a
/// beam (Search.cpp), or one or two axes at a time (AxisSearch.cpp). What is
/// left of the problem's budget ends it, with the best that it has found.
Solution search(const Problem &P, const CostModel &Costs,
                const SearchLimits &Limits = {});

/// For each variable an option, by what problems with fewer axes, and then two
/// axes at a time beside the others, are best at; from \p Start where given.
std::vector<unsigned>
searchByAxes(const Problem &P, const CostModel &Costs, double PerByte,
             const SearchLimits &Limits,
             const std::vector<unsigned> *Start = nullptr);

/// What begins a search is solved when there is no budget, too, if it is small.
enum class Need : bool { Improves, Begins };

/// The best where each variable has only the options that \p Keep names;
/// nothing when one has none, or that would be too much.
std::optional<std::vector<unsigned>>
bestAmong(const Problem &P, double PerByte, const SearchLimits &Limits, Need N,
          llvm::function_ref<bool(unsigned Variable, unsigned Option)> Keep);
/// The best of data parallelism alone; nothing where annotations differ.
std::optional<std::vector<unsigned>>
bestDataParallel(const Problem &P, const CostModel &Costs, double PerByte,
                 const SearchLimits &Limits);

/// Sets of axes that divide the batch for as many ranks as possible.
std::vector<planner::Axes> batchAxes(const Graph &G,
                                     const planner::DeviceMesh &M);

} // namespace spmd::sharding

#endif // SPMD_SHARDING_SEARCH_H
