//===- LostGradients.h - Updates that lose terms ----------------*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_LOSTGRADIENTS_H
#define SPMD_INFERENCE_CHECK_LOSTGRADIENTS_H

#include "Check.h"

namespace spmd::rules::inference {

/// A gradient that no rank's got to, that was cleared before its use, or that
/// has one rank's terms alone.
class LostGradients : Check {
public:
  using Check::Check;

  void run(const LosesTerms &Seen);
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_LOSTGRADIENTS_H
