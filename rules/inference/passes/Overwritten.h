//===- Overwritten.h - Parameters that only take results --------*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_OVERWRITTEN_H
#define SPMD_INFERENCE_PASSES_OVERWRITTEN_H

#include "spmd/ir/IR.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::rules::inference {

/// By slot: the body of \p F writes to what it points to and uses nothing that
/// is there. \p Overwrites answers the same of an argument of a call.
llvm::BitVector findOverwritten(
    const Function &F,
    llvm::function_ref<bool(const CallFact &, std::size_t)> Overwrites);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_OVERWRITTEN_H
