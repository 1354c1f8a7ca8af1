//===- ReplicasInSums.h - Replicas added to terms of a sum ------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_REPLICASINSUMS_H
#define SPMD_INFERENCE_CHECK_REPLICASINSUMS_H

#include "Check.h"
#include "body/SummedTerms.h"

namespace spmd::rules::inference {

/// What all ranks have and is added to each rank's term is in the sum once per
/// rank.
class ReplicasInSums : Check {
public:
  using Check::Check;

  void run(const ReplicasAdded &Seen);
  /// What a callee, such as a kernel, adds to an argument that is each rank's
  /// term of a sum of the caller: found at the call, where both are known.
  void run(const Called &Seen);
  /// What another function has added to what is summed here.
  void run(const SumsAdded &Seen);

private:
  SlotId decidingOf(llvm::ArrayRef<SlotId> Given) const;
  std::optional<OpFact> inCaller(const AddingOp &X, const CallFact &Call) const;
  const llvm::SmallVector<AddingOp, 2> &addingIn(const Function &Target,
                                                 unsigned Depth);
  void addedByCallee(const AddingOp &X, const OpFact &O,
                     const SummedTerms::SumList &Sums);

  /// By function, and how deep it was looked into.
  std::map<std::pair<const Function *, unsigned>,
           llvm::SmallVector<AddingOp, 2>>
      AddingIn;
  /// The sums of which it is told already.
  llvm::DenseSet<std::pair<const TransferFact *, AxisId>> Told;
  SummedTerms Terms{In};
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_REPLICASINSUMS_H
