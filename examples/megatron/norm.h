// Layer normalisation over the hidden dimension.

#pragma once

#include "mesh.h"
#include "parameters.h"

namespace megatron {

class LayerNorm {
public:
  LayerNorm(int64_t hidden, const Parallel &parallel);

  [[spmd::type("tp: I, dp: V")]] at::Tensor
  forward([[spmd::type("tp: I, dp: V")]] const at::Tensor &x) const;

  /// Every rank normalises its own positions.
  [[spmd::type("tp: S(1), dp: V")]] at::Tensor forward_sequence_parallel(
      [[spmd::type("tp: S(1), dp: V")]] const at::Tensor &x) const;

  void collect(Parameters &parameters) const;

private:
  int64_t hidden_;
  [[spmd::axis("tp")]] spmd::Axis tp_;
  [[spmd::type("tp: I, dp: R")]] at::Tensor weight_;
  [[spmd::type("tp: I, dp: R")]] at::Tensor bias_;
};

} // namespace megatron
