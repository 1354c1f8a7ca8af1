#include "mlp.h"

#include <cmath>

namespace megatron {

Mlp::Mlp(const Config &config, const Parallel &parallel)
    : input_(config.hidden, 4 * config.hidden, parallel),
      output_(4 * config.hidden, config.hidden,
              1 / std::sqrt(8.0 * config.layers * config.hidden), parallel) {}

at::Tensor Mlp::forward(const at::Tensor &x) const {
  return output_.forward(torch::gelu(input_.forward(x)));
}

at::Tensor Mlp::forward_sequence_parallel(const at::Tensor &x) const {
  const at::Tensor inner = torch::gelu(input_.forward_sequence_parallel(x));
  return output_.forward_sequence_parallel(inner);
}

void Mlp::collect(Parameters &parameters) const {
  input_.collect(parameters);
  output_.collect(parameters);
}

} // namespace megatron
