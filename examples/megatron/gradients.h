// What happens to gradients between backward() and the optimizer.

#pragma once

#include "mesh.h"
#include "parameters.h"

namespace megatron {

/// The gradients of \p parameters, added up over dp as one bucket.
[[spmd::type("dp: R")]] std::vector<at::Tensor> sync_gradients(
    [[spmd::type("dp: R")]] const std::vector<at::Tensor> &parameters,
    const Parallel &parallel);

/// Scales synchronised gradients to at most this length over all parameters.
/// Returns the length before.
double clip_gradients(TensorSet &gradients, double longest,
                      const Parallel &parallel);

} // namespace megatron
