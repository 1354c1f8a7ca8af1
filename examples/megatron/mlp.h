// The feed-forward half of a block. The ranks of tp share out the inner
// features.

#pragma once

#include "config.h"
#include "linear.h"

namespace megatron {

class Mlp {
public:
  Mlp(const Config &config, const Parallel &parallel);

  [[spmd::type("tp: I, dp: V")]] at::Tensor
  forward([[spmd::type("tp: I, dp: V")]] const at::Tensor &x) const;

  [[spmd::type("tp: S(1), dp: V")]] at::Tensor forward_sequence_parallel(
      [[spmd::type("tp: S(1), dp: V")]] const at::Tensor &x) const;

  void collect(Parameters &parameters) const;

private:
  ColumnParallelLinear input_;
  RowParallelLinear output_;
};

} // namespace megatron
