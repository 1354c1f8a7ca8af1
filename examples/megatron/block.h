// One transformer block: attention, then MLP, each on the normalised residual
// stream.

#pragma once

#include "attention.h"
#include "mlp.h"
#include "norm.h"

namespace megatron {

class Block {
public:
  Block(const Config &config, const Parallel &parallel);

  [[spmd::type("tp: I, dp: V")]] at::Tensor
  forward([[spmd::type("tp: I, dp: V")]] const at::Tensor &x) const;

  [[spmd::type("tp: S(1), dp: V")]] at::Tensor forward_sequence_parallel(
      [[spmd::type("tp: S(1), dp: V")]] const at::Tensor &x) const;

  void collect(Parameters &parameters) const;

private:
  LayerNorm attention_norm_;
  Attention attention_;
  LayerNorm mlp_norm_;
  Mlp mlp_;
};

} // namespace megatron
