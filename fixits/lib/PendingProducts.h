//===- PendingProducts.h - Where terms of a sum are made --------*- C++ -*-===//

#ifndef SPMD_FIXITS_LIB_PENDINGPRODUCTS_H
#define SPMD_FIXITS_LIB_PENDINGPRODUCTS_H

#include "spmd/fixits/Repair.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace spmd::fixits {

/// Finds the products and sums of shards behind values that are V:
/// `matmul(hidden, down)` behind `y` in `y = matmul(hidden, down).view(...)`.
/// What follows them linearly, on whichever way, is each rank's term of a sum,
/// as they are.
class PendingProducts {
public:
  PendingProducts(const rules::Module &M,
                  const rules::InferenceOptions &Options)
      : M(M), Options(Options) {}

  /// What ops of V.In make of \p O on V.Axis.
  MadeOf behind(const rules::Violation &V, const rules::ViolationOperand &O);

private:
  class Walk;
  using SlotTypes = llvm::StringMap<rules::AxisType>; ///< by axis
  void inferTypes();
  /// As declared, else as inferred.
  rules::AxisType typeOf(const rules::Function &F, rules::SlotId Slot,
                         llvm::StringRef Axis);
  bool variesOn(const rules::Function &F, rules::SlotId Slot,
                llvm::StringRef Axis);
  bool passesTerms(const rules::Function &F, const rules::OpFact &O,
                   std::size_t Operand, llvm::StringRef Axis);
  bool multipliesShards(const rules::Function &F, const rules::OpFact &O,
                        llvm::StringRef Axis);

  const rules::Module &M;
  const rules::InferenceOptions &Options;
  bool Inferred = false;
  std::map<std::pair<const rules::Function *, rules::SlotId>, SlotTypes> Types;
};

} // namespace spmd::fixits

#endif // SPMD_FIXITS_LIB_PENDINGPRODUCTS_H
