//===- SizesOfParts.h - Sizes that fit on one rank only ---------*- C++ -*-===//

#ifndef SPMD_FIXITS_SIZESOFPARTS_H
#define SPMD_FIXITS_SIZESOFPARTS_H

#include "spmd/inference/Inference.h"

namespace spmd::fixits {

/// Whether one of two sizes is what a rank of \p Axes has of the other: they
/// are the same only where there is one rank.
bool isPartOfOther(const rules::Extent &A, const rules::Extent &B,
                   const rules::AxisTable &Mesh,
                   llvm::ArrayRef<rules::AxisId> Axes);

/// Whether the operand that is not sharded in \p Wrong is as long as a shard,
/// and the same on each rank: \p S are the layouts of all.
bool takesSamePart(const rules::SpecViolation &Wrong,
                   const rules::OperandLayouts &S);

} // namespace spmd::fixits

#endif // SPMD_FIXITS_SIZESOFPARTS_H
