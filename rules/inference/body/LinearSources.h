//===- LinearSources.h - What a value is a linear part of -------*- C++ -*-===//

#ifndef SPMD_INFERENCE_BODY_LINEARSOURCES_H
#define SPMD_INFERENCE_BODY_LINEARSOURCES_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::rules::inference {

/// Whether \p Value is made of a slot that \p IsSource by sums, differences,
/// copies and factors that are numbers: `before - weight`.
bool isLinearIn(const Function &F, SlotId Value,
                llvm::function_ref<bool(SlotId)> IsSource);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_BODY_LINEARSOURCES_H
