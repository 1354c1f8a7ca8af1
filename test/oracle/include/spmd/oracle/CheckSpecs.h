//===- CheckSpecs.h - Shape rules, by numbers -------------------*- C++ -*-===//
//
// SPMD types for PyTorch, "Shard propagation": f run on the shards of x gives
// the shards of f(x). Every assignment of specs to the operands of an op that
// its rule takes must make that so under the result's spec; of every other
// there is a tensor for which no spec of the result does.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_CHECKSPECS_H
#define SPMD_ORACLE_CHECKSPECS_H

#include "spmd/ops/FactorRule.h"
#include "spmd/oracle/SpecScenario.h"

#include <map>

namespace spmd::oracle {

struct SpecCounts {
  std::uint64_t Calls = 0, Assignments = 0;
  std::uint64_t Accepted = 0, Wrong = 0;
  std::uint64_t Rejected = 0, Imprecise = 0; ///< rejected for its specs
  std::uint64_t Undecided = 0;
  std::uint64_t Gradients = 0; ///< of operands, of what is accepted

  SpecCounts &operator+=(const SpecCounts &O);
};

struct SpecCheck {
  SpecCounts Counts;
  bool Known = false; ///< the op has a reference apart from its rule
  /// "sum(dim=0) of [4@a, 4] -> [4@a]: …", some of them.
  std::vector<std::string> Wrong;
  /// By the kind of violation: how many are right for all sizes, and one.
  std::map<std::string, std::pair<std::uint64_t, std::string>> Imprecise;
};

struct SpecLimits {
  std::vector<DeviceMesh> Meshes = {meshOf(2, 2), meshOf(2, 3)};
  /// Of one call, spread evenly over all.
  std::size_t Assignments = 3000;
};

/// All alternatives of \p Rule, which has a shape.
SpecCheck checkSpecs(const rules::OpRule &Rule, const SpecLimits &Limits);
/// Ops that say the same have one check.
std::string specKey(const rules::OpRule &Rule);

llvm::StringRef kindName(rules::SpecViolation::Kind K);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_CHECKSPECS_H
