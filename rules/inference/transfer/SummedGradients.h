//===- SummedGradients.h - Sums that a backward pass adds to ----*- C++ -*-===//

#ifndef SPMD_INFERENCE_TRANSFER_SUMMEDGRADIENTS_H
#define SPMD_INFERENCE_TRANSFER_SUMMEDGRADIENTS_H

#include "body/Body.h"

namespace spmd::rules::inference {

/// A backward pass adds its terms to what is in the gradients. Where that is
/// what a sum has left, the next one counts it once per rank.
class SummedGradients {
public:
  /// What is in them before \p B.
  SummedGradients(Body &In, const BackwardFact &B);
  /// Takes note of it in the tensors, once the pass is done.
  void note();

private:
  Violation violation(const AxisState &Sum, AxisId A) const;

  Body &In;
  const BackwardFact &B;
  struct Under {
    CellId Primal;
    AxisId On;
    const AddedReplica *Sum;
  };
  llvm::SmallVector<Under, 4> Found;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_TRANSFER_SUMMEDGRADIENTS_H
