#include "loss.h"

namespace megatron {
namespace {

/// The largest logit over the whole vocabulary. It keeps exp() finite and
/// cancels in the loss, so it needs no gradient.
at::Tensor largest(const at::Tensor &logits, const Parallel &parallel) {
  return spmd::all_reduce_max(logits.detach().amax(-1, true), parallel.tp,
                              spmd::V, spmd::R);
}

} // namespace

at::Tensor vocabulary_parallel_cross_entropy(const at::Tensor &logits,
                                             const at::Tensor &targets,
                                             const Parallel &parallel) {
  const spmd::Axis &tp = parallel.tp;
  const int64_t width = logits.size(-1);
  const at::Tensor shifted = logits - largest(logits, parallel);

  const at::Tensor local_sum = spmd::out_partial(shifted.exp().sum(-1), tp);
  const at::Tensor sum = spmd::all_reduce(local_sum, tp, spmd::P, spmd::I);

  // One rank has the target's logit, the others count as zero.
  const at::Tensor local = targets - tp.rank() * width;
  const at::Tensor elsewhere = (local < 0).logical_or(local >= width);
  const at::Tensor index = local.clamp(0, width - 1).unsqueeze(-1);
  const at::Tensor found =
      shifted.gather(-1, index).squeeze(-1).masked_fill(elsewhere, 0);
  const at::Tensor target =
      spmd::all_reduce(spmd::out_partial(found, tp), tp, spmd::P, spmd::I);
  return sum.log() - target;
}

at::Tensor global_loss(const at::Tensor &mean, const at::Tensor &penalty,
                       const Parallel &parallel) {
  const spmd::Axis &dp = parallel.dp;
  const at::Tensor share = (mean + penalty) / dp.size();
  return spmd::reinterpret(share, dp, spmd::V, spmd::P);
}

} // namespace megatron
