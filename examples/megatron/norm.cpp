#include "norm.h"

namespace megatron {

LayerNorm::LayerNorm(int64_t hidden, const Parallel &parallel)
    : hidden_(hidden), tp_(parallel.tp),
      weight_(as_parameter(torch::ones({hidden}))),
      bias_(as_parameter(torch::zeros({hidden}))) {}

at::Tensor LayerNorm::forward(const at::Tensor &x) const {
  return torch::layer_norm(x, {hidden_}, weight_, bias_);
}

at::Tensor LayerNorm::forward_sequence_parallel(const at::Tensor &x) const {
  // The ranks see different positions, so their gradients of the weights are
  // parts of one sum.
  const at::Tensor weight = spmd::invariant_to_replicate(weight_, tp_);
  const at::Tensor bias = spmd::invariant_to_replicate(bias_, tp_);
  return torch::layer_norm(x, {hidden_}, weight, bias);
}

void LayerNorm::collect(Parameters &parameters) const {
  parameters.replicated.push_back(weight_);
  parameters.replicated.push_back(bias_);
}

} // namespace megatron
