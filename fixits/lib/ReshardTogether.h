//===- ReshardTogether.h - Repairs that move several operands ---*- C++ -*-===//

#ifndef SPMD_FIXITS_LIB_RESHARDTOGETHER_H
#define SPMD_FIXITS_LIB_RESHARDTOGETHER_H

#include "ReshardCandidates.h"
#include "ReshardTrial.h"

namespace spmd::fixits {

/// For an op that no single operand makes right: as few as can be, each moved
/// on the axis that is wrong and one more that shards the same factor. Those
/// after which the op is right on that axis alone go to \p Progress.
void addTogether(const rules::Violation &V, const rules::OperandLayouts &S,
                 const AxisLinks &Links, const ReshardTrial &Trial,
                 Candidates &All, Candidates &Progress);

} // namespace spmd::fixits

#endif // SPMD_FIXITS_LIB_RESHARDTOGETHER_H
