//===- PendingProducts.h - Where terms of a sum are made --------*- C++ -*-===//

#ifndef SPMD_FIXITS_LIB_PENDINGPRODUCTS_H
#define SPMD_FIXITS_LIB_PENDINGPRODUCTS_H

#include "spmd/inference/Inference.h"

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

  using Places = llvm::SmallVector<rules::PlaceId, 2>;
  struct Behind {
    /// The ops of V.In whose results are pending sums on V.Axis if the operand
    /// is to be one; or, where that is to be whole, if they are added up there.
    /// None where there are none, or it is something else on some way.
    Places Terms;
    /// Of the first: it may as well be of each rank's part of a batch.
    bool MayBeParts = true;
    /// An op whose result is the rank's own mean.
    rules::PlaceId Average = rules::PlaceId::None;
    /// An op makes of each rank's share what no sum of all ranks is.
    bool Mixed = false;
  };
  Behind behind(const rules::Violation &V, const rules::ViolationOperand &O);

private:
  class Walk;
  using SlotTypes = llvm::StringMap<rules::AxisType>; ///< by axis
  void inferTypes();
  const rules::AxisType *typeOf(const rules::Function &F, rules::SlotId Slot,
                                llvm::StringRef Axis);
  std::optional<int> shardDimOf(const rules::Function &F, rules::SlotId Slot,
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
