//===- ProgramPoint.h - Where the analysis of a function is -----*- C++ -*-===//

#ifndef SPMD_INFERENCE_DOMAIN_PROGRAMPOINT_H
#define SPMD_INFERENCE_DOMAIN_PROGRAMPOINT_H

#include "State.h"

namespace spmd::rules::inference {

struct ProgramPoint {
  State *Now = nullptr;
  std::uint32_t Block = 0;
  const std::vector<Fact> *Facts = nullptr; ///< of the block
  const Fact *Running = nullptr;
  CellId Cell = NoCell; ///< of the fact
  /// The states have settled: what is wrong is reported from now on.
  bool Reporting = false;
  /// The axes of which some ranks alone run the block.
  AxisMask OnSomeRanks = 0;
  /// What is called here never returns on the way that is looked at.
  bool IsOffWay = false;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DOMAIN_PROGRAMPOINT_H
