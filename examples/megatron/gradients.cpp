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
  if (parameters.empty())
    return {};
  std::vector<at::Tensor> flat;
  for (const at::Tensor &parameter : parameters)
    flat.push_back(parameter.grad().flatten());
  std::vector<at::Tensor> bucket = {torch::cat(flat)};
  parallel.dp_group->allreduce(bucket)->wait();

  std::vector<at::Tensor> gradients;
  int64_t offset = 0;
  for (const at::Tensor &parameter : parameters) {
    const int64_t length = parameter.numel();
    gradients.push_back(
        bucket[0].narrow(0, offset, length).view(parameter.sizes()));
    offset += length;
  }
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
