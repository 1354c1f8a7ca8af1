#include "block.h"

namespace megatron {

Block::Block(const Config &config, const Parallel &parallel)
    : attention_norm_(config.hidden, parallel), attention_(config, parallel),
      mlp_norm_(config.hidden, parallel), mlp_(config, parallel) {}

at::Tensor Block::forward(const at::Tensor &x) const {
  const at::Tensor middle = x + attention_.forward(attention_norm_.forward(x));
  return middle + mlp_.forward(mlp_norm_.forward(middle));
}

at::Tensor Block::forward_sequence_parallel(const at::Tensor &x) const {
  const at::Tensor attended = attention_.forward_sequence_parallel(
      attention_norm_.forward_sequence_parallel(x));
  const at::Tensor middle = x + attended;
  const at::Tensor transformed = mlp_.forward_sequence_parallel(
      mlp_norm_.forward_sequence_parallel(middle));
  return middle + transformed;
}

void Block::collect(Parameters &parameters) const {
  attention_norm_.collect(parameters);
  attention_.collect(parameters);
  mlp_norm_.collect(parameters);
  mlp_.collect(parameters);
}

} // namespace megatron
