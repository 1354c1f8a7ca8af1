//===- FollowedGradients.h - Gradients that updates read --------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_FOLLOWEDGRADIENTS_H
#define SPMD_LINT_LIB_FOLLOWEDGRADIENTS_H

#include "ProgramText.h"

namespace spmd::lint {

/// The updates of a function, each by one gradient or by a list of them, and
/// those where the gradient's type is known.
struct GradientCount {
  unsigned Updates = 0, Followed = 0;
};

/// Those of \p F: by an optimizer, by what autograd has computed, and by what
/// is subtracted from a replica in place. \p On has a bit per axis.
GradientCount gradientsIn(const rules::Function &F,
                          const rules::InferenceResult &Found,
                          const ProgramText &Text, std::uint32_t On);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_FOLLOWEDGRADIENTS_H
