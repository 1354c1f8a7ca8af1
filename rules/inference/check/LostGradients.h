//===- LostGradients.h - Updates by nothing but zeros -----------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_LOSTGRADIENTS_H
#define SPMD_INFERENCE_CHECK_LOSTGRADIENTS_H

#include "Check.h"

namespace spmd::rules::inference {

/// A gradient that no rank's got to, or that was cleared before its use.
class LostGradients : Check {
public:
  using Check::Check;

  void run(const LosesTerms &Seen);
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_LOSTGRADIENTS_H
