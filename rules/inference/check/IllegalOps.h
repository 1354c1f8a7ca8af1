//===- IllegalOps.h - Operands that an op must not have ---------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_ILLEGALOPS_H
#define SPMD_INFERENCE_CHECK_ILLEGALOPS_H

#include "Check.h"

namespace spmd::rules::inference {

/// Which check of lint/checks it is depends on the op and on what meets in it.
class IllegalOps : Check {
public:
  using Check::Check;

  void run(const IllegalOperands &Seen);
  /// Strict: on some path the operands are types that are illegal together, or
  /// one has none that is known and meets one that has.
  void run(const RuleApplied &Seen);

private:
  void mayBeIllegalAs(const OpFact &O, AxisId A, llvm::ArrayRef<TypeSet> Case,
                      const RuleResult &R,
                      llvm::ArrayRef<const AbstractValue *> Cells);
  llvm::BitVector givenPending(AxisId A) const;

  llvm::DenseSet<AxisId> Told; ///< of a pending sum that the caller passed
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_ILLEGALOPS_H
