//===- Network.h - The least sum of tables over choices ---------*- C++ -*-===//
//
// Variables with finite domains, and tables that say what each combination of a
// few of them costs. Variables are eliminated one by one: all tables that one
// is in become a table of the others, with the best of its choices in it. That
// is exact, and as expensive as the largest table; the order is by least fill.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_SHARDING_NETWORK_H
#define SPMD_SHARDING_NETWORK_H

#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace spmd::sharding {

/// Stands for a combination that may not be.
constexpr double Forbidden = 1e12;

struct CostTable {
  llvm::SmallVector<unsigned, 4> Scope; ///< variables, each once, ascending
  /// By the choices of the scope's variables, the last one's fastest.
  std::vector<double> Costs;
};

struct Network {
  std::vector<unsigned> Choices; ///< by variable: how many it has
  std::vector<CostTable> Tables;

  /// Adds an empty table. \p Scope is sorted.
  CostTable &add(llvm::SmallVector<unsigned, 4> Scope);
  double cost(const std::vector<unsigned> &Choice) const;
};

struct Assignment {
  std::vector<unsigned> Choice; ///< by variable
  double Cost = 0;
};

/// Nothing when a table would have more than \p MaxEntries.
std::optional<Assignment> eliminate(const Network &N, std::size_t MaxEntries);

/// How many entries the largest table would have.
double largestTable(const Network &N);

} // namespace spmd::sharding

#endif // SPMD_SHARDING_NETWORK_H
