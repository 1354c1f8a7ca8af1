// Causal self-attention. The ranks of tp share out the heads.

#pragma once

#include "config.h"
#include "linear.h"

namespace megatron {

class Attention {
public:
  Attention(const Config &config, const Parallel &parallel);

  [[spmd::type("tp: I, dp: V")]] at::Tensor
  forward([[spmd::type("tp: I, dp: V")]] const at::Tensor &x) const;

  [[spmd::type("tp: S(1), dp: V")]] at::Tensor forward_sequence_parallel(
      [[spmd::type("tp: S(1), dp: V")]] const at::Tensor &x) const;

  void collect(Parameters &parameters) const;

private:
  /// This rank's heads over the whole sequence: [batch, sequence, heads *
  /// head size] from three times as many features.
  at::Tensor attend(const at::Tensor &qkv) const;

  int64_t local_heads_;
  int64_t head_size_;
  ColumnParallelLinear input_;
  RowParallelLinear output_;
};

} // namespace megatron
