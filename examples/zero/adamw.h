// The update rule and the norm that gradients are clipped by, as launches. They
// work on a rank's own part as well as on what is the same everywhere, but not
// on pending sums: the rule that they follow says so.

#pragma once

#include "shape.h"

#include <cstddef>

namespace zero {

struct AdamW {
  float learning_rate, beta1, beta2, weight_decay;
  int step; ///< from 1
};

/// Updates \p count elements in place, with gradients times \p scale.
[[spmd::op("nonlinear")]] void adamw(float *values, float *first, float *second,
                                     const float *gradients, std::size_t count,
                                     float scale, const AdamW &rule,
                                     cudaStream_t stream);

/// The sum of squares of \p x, on the host; \p scratch is a device double.
[[spmd::op("nonlinear")]] double sum_of_squares(const float *x,
                                                std::size_t count,
                                                double *scratch,
                                                cudaStream_t stream);

} // namespace zero
