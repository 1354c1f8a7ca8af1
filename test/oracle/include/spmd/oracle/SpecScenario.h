//===- SpecScenario.h - Calls to try a shape rule with ----------*- C++ -*-===//

#ifndef SPMD_ORACLE_SPECSCENARIO_H
#define SPMD_ORACLE_SPECSCENARIO_H

#include "spmd/oracle/Sharding.h"
#include "spmd/oracle/SpecReference.h"

namespace spmd::oracle {

/// A call with operands of several sizes. What is right for all of them is not
/// right by accident.
struct SpecScenario {
  SpecCall Call;
  std::vector<std::vector<Shape>> Sizes; ///< by variant, by operand
  /// By operand, the dim of the first operand whose positions its values are.
  std::vector<std::optional<int>> PositionsOf;
  /// The call asks for sizes of shards; its arguments follow from these.
  bool AsksForSizes = false;
};

/// \p Rule with one alternative each.
std::vector<rules::OpRule> alternativesOf(const rules::OpRule &Rule);
/// \p Rule has one alternative. For a mesh of \p Ranks ranks.
std::vector<SpecScenario> scenariosOf(const rules::OpRule &Rule, int Ranks);
/// What the call may ask for where the first operand has the shape \p Local.
std::vector<llvm::SmallVector<rules::OpArgument, 2>>
sizesToAskFor(const rules::ShapeRule &Alternative, const Shape &Local);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_SPECSCENARIO_H
