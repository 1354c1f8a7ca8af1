//===- Losses.h - What backward() begins with -------------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_LOSSES_H
#define SPMD_INFERENCE_CHECK_LOSSES_H

#include "Check.h"

namespace spmd::rules::inference {

/// A loss whose ranks' gradients no backward pass adds up rightly.
class Losses : Check {
public:
  using Check::Check;

  void run(const IllegalLoss &Seen);

private:
  bool isOfOwnModels(AxisId A) const;
  bool trainsApart(SlotId List, AxisId A) const;
  bool isGivenOptimizer(SlotId List) const;
  bool hasUnknownWeights(AxisId A) const;
  bool hasCallersModel(AxisId A) const;
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_LOSSES_H
