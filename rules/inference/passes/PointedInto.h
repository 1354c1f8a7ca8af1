//===- PointedInto.h - What a place lies in ---------------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_POINTEDINTO_H
#define SPMD_INFERENCE_PASSES_POINTEDINTO_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::rules::inference {

/// The parameter or variable that \p S, a place in something or another name of
/// it, points into.
SlotId pointedInto(const Function &F, SlotId S);

/// Whether \p F, or what it hands that to, may write what \p Parameter points
/// to.
bool mayWrite(const Function &F, SlotId Parameter);

/// Whether \p S is, or lies in, what an element of a list of pointers points
/// to.
bool isBehindElement(const Function &F, SlotId S);

/// Whether \p F, or what it calls of what \p Find finds, may write what an
/// element of a list of pointers points to.
bool writesByElements(
    const Function &F,
    llvm::function_ref<const Function *(llvm::StringRef)> Find);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_POINTEDINTO_H
