#include "gradients.h"

#include <algorithm>
#include <cmath>

namespace megatron {
namespace {

at::Tensor sum_of_squares(const std::vector<at::Tensor> &tensors) {
  std::vector<at::Tensor> squares;
  for (const at::Tensor &tensor : tensors)
    squares.push_back(tensor.square().sum());
  return torch::stack(squares).sum();
}

} // namespace

std::vector<at::Tensor>
sync_gradients(const std::vector<at::Tensor> &parameters,
               const Parallel &parallel) {
  std::vector<at::Tensor> terms;
  for (const at::Tensor &parameter : parameters)
    terms.push_back(parameter.grad());
  std::vector<at::Tensor> gradients =
      spmd::all_reduce(terms, parallel.dp, spmd::P, spmd::R);
  return gradients;
}

double clip_gradients(TensorSet &gradients, double longest,
                      const Parallel &parallel) {
  // The slices of a sharded gradient add up over tp; a replicated gradient is
  // the same on every rank and counts once.
  const spmd::Axis &tp = parallel.tp;
  const at::Tensor slices =
      spmd::out_partial(sum_of_squares(gradients.sharded), tp);
  const at::Tensor sum = spmd::all_reduce(slices, tp, spmd::P, spmd::I) +
                         sum_of_squares(gradients.replicated);
  const double length = std::sqrt(sum.item<double>());

  const double scale = std::min(1.0, longest / (length + 1e-6));
  for (at::Tensor &gradient : gradients.sharded)
    gradient.mul_(scale);
  for (at::Tensor &gradient : gradients.replicated)
    gradient.mul_(scale);
  return length;
}

} // namespace megatron
