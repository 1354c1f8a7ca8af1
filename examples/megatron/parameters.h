// What the optimizer sees: tensors by how they lie on the tensor-parallel axis.

#pragma once

#include <spmd/torch.h>
#include <torch/torch.h>

#include <vector>

namespace megatron {

/// Parameters, or something with one tensor for each of them. Over dp the model
/// is replicated and its gradients are partial: data parallelism in its
/// classical form.
struct TensorSet {
  /// Every rank of tp has its own slice.
  [[spmd::type("tp: V, dp: R")]] std::vector<at::Tensor> sharded;
  /// Every rank of tp has the whole, and the same gradient.
  [[spmd::type("tp: I, dp: R")]] std::vector<at::Tensor> replicated;
};

using Parameters = TensorSet;

/// Starts this rank's random numbers.
void seed(uint64_t seed);

/// Normally distributed values. All ranks draw the same ones: their generators
/// have the same seed and make the same draws.
at::Tensor normal(at::IntArrayRef sizes, double deviation);

/// A leaf with the value of \p x that owns its memory and collects gradients.
at::Tensor as_parameter(const at::Tensor &x);

} // namespace megatron
