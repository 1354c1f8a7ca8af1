//===- OpenCases.h - What operands may be together --------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_DOMAIN_OPENCASES_H
#define SPMD_INFERENCE_DOMAIN_OPENCASES_H

#include "Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace spmd::rules::inference {

/// Calls \p Visit with what the operands may be together: one member of each
/// that has no sure one, the sure ones of the others. Operands that are one
/// value are the same. False when these are too many: then it is two at a time.
bool eachCase(AxisId A, llvm::ArrayRef<const AbstractValue *> Cells,
              std::size_t MaxOpen,
              llvm::function_ref<void(llvm::ArrayRef<TypeSet>)> Visit);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DOMAIN_OPENCASES_H
