#include "linear.h"

#include <cmath>

namespace megatron {

ColumnParallelLinear::ColumnParallelLinear(int64_t in, int64_t out,
                                           const Parallel &parallel)
    : tp_(parallel.tp) {
  const at::Tensor whole = normal({out, in}, 1 / std::sqrt(double(in)));
  weight_ = as_parameter(spmd::convert(whole, tp_, spmd::R, spmd::S(0)));
  bias_ = as_parameter(torch::zeros({out / tp_.size()}));
}

at::Tensor ColumnParallelLinear::forward(const at::Tensor &x) const {
  const at::Tensor copy = spmd::invariant_to_replicate(x, tp_);
  return torch::matmul(copy, weight_.t()) + bias_;
}

at::Tensor
ColumnParallelLinear::forward_sequence_parallel(const at::Tensor &x) const {
  const at::Tensor whole = spmd::all_gather(x, tp_, spmd::S(1), spmd::R);
  return torch::matmul(whole, weight_.t()) + bias_;
}

void ColumnParallelLinear::collect(Parameters &parameters) const {
  parameters.sharded.push_back(weight_);
  parameters.sharded.push_back(bias_);
}

RowParallelLinear::RowParallelLinear(int64_t in, int64_t out, double deviation,
                                     const Parallel &parallel)
    : tp_(parallel.tp) {
  const at::Tensor whole = normal({out, in}, deviation);
  weight_ = as_parameter(spmd::convert(whole, tp_, spmd::R, spmd::S(1)));
  bias_ = as_parameter(torch::zeros({out}));
}

at::Tensor RowParallelLinear::forward(const at::Tensor &features) const {
  const at::Tensor product = torch::matmul(features, weight_.t());
  const at::Tensor partial = spmd::out_partial(product, tp_);
  const at::Tensor sum = spmd::all_reduce(partial, tp_, spmd::P, spmd::I);
  return sum + bias_;
}

at::Tensor
RowParallelLinear::forward_sequence_parallel(const at::Tensor &features) const {
  const at::Tensor product = torch::matmul(features, weight_.t());
  const at::Tensor partial = spmd::out_partial(product, tp_);
  const at::Tensor sum =
      spmd::reduce_scatter(partial, tp_, spmd::P, spmd::S(1));
  return sum + spmd::invariant_to_replicate(bias_, tp_);
}

void RowParallelLinear::collect(Parameters &parameters) const {
  parameters.sharded.push_back(weight_);
  parameters.replicated.push_back(bias_);
}

} // namespace megatron
