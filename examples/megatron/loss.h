// From logits to the scalar that backward() starts from.

#pragma once

#include "mesh.h"

#include <spmd/torch.h>
#include <torch/torch.h>

namespace megatron {

/// The loss of every token from logits [batch, sequence, vocabulary / tp].
[[spmd::type("tp: I, dp: V")]] at::Tensor vocabulary_parallel_cross_entropy(
    [[spmd::type("tp: V, dp: V")]] const at::Tensor &logits,
    [[spmd::type("tp: R, dp: V")]] const at::Tensor &targets,
    const Parallel &parallel);

/// The mean over dp, as a pending sum: every rank differentiates its own term,
/// and the gradients are added up afterwards.
[[spmd::type("tp: I, dp: P")]] at::Tensor
global_loss([[spmd::type("tp: I, dp: V")]] const at::Tensor &mean,
            [[spmd::type("tp: I, dp: R")]] const at::Tensor &penalty,
            const Parallel &parallel);

} // namespace megatron
