// The two halves of a tensor-parallel product. A column-parallel layer leaves
// every rank of tp with some of the output features; a row-parallel layer takes
// them back and adds the ranks' products up.
//
// Each layer runs in two ways, and so does everything built from them. Without
// sequence parallelism what lies between the layers is Invariant on tp: the
// ranks compute the same thing, gradients included. With it they hold different
// positions of the sequence, S(1). Tensors are [batch, sequence, features].

#pragma once

#include "mesh.h"
#include "parameters.h"

namespace megatron {

class ColumnParallelLinear {
public:
  ColumnParallelLinear(int64_t in, int64_t out, const Parallel &parallel);

  [[spmd::type("tp: V, dp: V")]] at::Tensor
  forward([[spmd::type("tp: I, dp: V")]] const at::Tensor &x) const;

  [[spmd::type("tp: V, dp: V")]] at::Tensor forward_sequence_parallel(
      [[spmd::type("tp: S(1), dp: V")]] const at::Tensor &x) const;

  void collect(Parameters &parameters) const;

private:
  [[spmd::axis("tp")]] spmd::Axis tp_;
  [[spmd::type("tp: S(0), dp: R")]] at::Tensor weight_;
  [[spmd::type("tp: S(0), dp: R")]] at::Tensor bias_;
};

class RowParallelLinear {
public:
  RowParallelLinear(int64_t in, int64_t out, double deviation,
                    const Parallel &parallel);

  [[spmd::type("tp: I, dp: V")]] at::Tensor
  forward([[spmd::type("tp: V, dp: V")]] const at::Tensor &features) const;

  [[spmd::type("tp: S(1), dp: V")]] at::Tensor forward_sequence_parallel(
      [[spmd::type("tp: V, dp: V")]] const at::Tensor &features) const;

  void collect(Parameters &parameters) const;

private:
  [[spmd::axis("tp")]] spmd::Axis tp_;
  [[spmd::type("tp: S(1), dp: R")]] at::Tensor weight_;
  [[spmd::type("tp: I, dp: R")]] at::Tensor bias_;
};

} // namespace megatron
