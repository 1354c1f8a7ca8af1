//===- GivenGradients.h - What backward passes of users leave ---*- C++ -*-===//

#ifndef SPMD_INFERENCE_CHECK_GIVENGRADIENTS_H
#define SPMD_INFERENCE_CHECK_GIVENGRADIENTS_H

#include "Check.h"

namespace spmd::rules::inference {

/// A gradient that is not that of the input it is for.
class GivenGradients : Check {
public:
  using Check::Check;

  void run(const UnfitGradient &Seen);
};

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_CHECK_GIVENGRADIENTS_H
