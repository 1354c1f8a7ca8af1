#include "attention.h"

#include <cmath>
#include <limits>

namespace megatron {

Attention::Attention(const Config &config, const Parallel &parallel)
    : local_heads_(config.heads / parallel.tp.size()),
      head_size_(config.hidden / config.heads),
      input_(config.hidden, 3 * config.hidden, parallel),
      output_(config.hidden, config.hidden,
              1 / std::sqrt(2.0 * config.layers * config.hidden), parallel) {}

at::Tensor Attention::attend(const at::Tensor &qkv) const {
  const int64_t batch = qkv.size(0), sequence = qkv.size(1);
  // Features are ordered head by head, so that a slice of them is a set of
  // whole heads.
  const at::Tensor heads =
      qkv.view({batch, sequence, local_heads_, 3, head_size_})
          .permute({3, 0, 2, 1, 4});
  const at::Tensor query = heads.select(0, 0);
  const at::Tensor key = heads.select(0, 1);
  const at::Tensor value = heads.select(0, 2);

  const at::Tensor future =
      torch::ones({sequence, sequence}, torch::kBool).triu(1);
  const at::Tensor scores =
      (torch::matmul(query, key.transpose(-2, -1)) / std::sqrt(head_size_))
          .masked_fill(future, -std::numeric_limits<double>::infinity());
  const at::Tensor context = torch::matmul(torch::softmax(scores, -1), value);
  return context.transpose(1, 2).reshape(
      {batch, sequence, local_heads_ * head_size_});
}

at::Tensor Attention::forward(const at::Tensor &x) const {
  return output_.forward(attend(input_.forward(x)));
}

at::Tensor Attention::forward_sequence_parallel(const at::Tensor &x) const {
  const at::Tensor qkv = input_.forward_sequence_parallel(x);
  return output_.forward_sequence_parallel(attend(qkv));
}

void Attention::collect(Parameters &parameters) const {
  input_.collect(parameters);
  output_.collect(parameters);
}

} // namespace megatron
