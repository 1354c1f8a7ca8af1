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
  bool HasCosts = true; ///< else tables have scopes alone

  /// Adds a table of zeros. \p Scope is sorted.
  CostTable &add(llvm::SmallVector<unsigned, 4> Scope);
  double cost(const std::vector<unsigned> &Choice) const;
};

struct Assignment {
  std::vector<unsigned> Choice; ///< by variable
  double Cost = 0;
};

/// In which order variables go, and what that takes.
struct EliminationOrder {
  std::vector<unsigned> Variables;
  double Largest = 1; ///< entries of the largest table that is made
  double Filled = 0;  ///< entries of the tables that there are
  double Read = 0;    ///< entries that are looked at
};
EliminationOrder orderOf(const Network &N);

Assignment eliminate(const Network &N, const EliminationOrder &Order);

} // namespace spmd::sharding

#endif // SPMD_SHARDING_NETWORK_H
