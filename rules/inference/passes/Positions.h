//===- Positions.h - Where facts and slots stand ----------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_POSITIONS_H
#define SPMD_INFERENCE_PASSES_POSITIONS_H

#include "spmd/ir/IR.h"

namespace spmd::rules::inference {

/// A line and a column: of what is written in one function, in its order.
using Position = std::pair<std::uint32_t, std::uint32_t>;

inline Position positionOf(const Function &F, PlaceId Id) {
  const Place &P = F.Places[index(Id)];
  return {P.Line, P.Column};
}

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_POSITIONS_H
