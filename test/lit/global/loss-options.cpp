// How a loss reduces is read from the options of the functional interface.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;
namespace F = torch::nn::functional;
[[spmd::axis("dp")]] extern spmd::Axis dp;

[[spmd::global]] Tensor mean([[spmd::type("[B@dp, V]")]] Tensor logits,
                             [[spmd::type("[B@dp]")]] Tensor y) {
  // CHECK: [[#@LINE+1]]:10: error: 'cross_entropy' needs 'b' whole, but 'dp' shards it in 'logits'{{.*}} [spmd-shard-propagation]
  return F::cross_entropy(logits, y);
}
[[spmd::global]] Tensor sum([[spmd::type("[B@dp, V]")]] Tensor logits,
                            [[spmd::type("[B@dp]")]] Tensor y) {
  // CHECK: [[#@LINE+2]]:10: error: 'cross_entropy' adds up 'b', which 'dp' shards
  // CHECK-SAME: [spmd-shard-propagation]
  return F::cross_entropy(
      logits, y, F::CrossEntropyFuncOptions().reduction(torch::kSum));
}
[[spmd::global]] Tensor
each([[spmd::type("[B@dp, V]")]] Tensor logits,
     [[spmd::type("[B@dp]")]] Tensor y) {
  return F::cross_entropy(
      logits, y, F::CrossEntropyFuncOptions().reduction(torch::kNone));
}
[[spmd::global]] [[spmd::type("[]{dp: R}")]] Tensor
right([[spmd::type("[B@dp, V]")]] Tensor logits,
      [[spmd::type("[B@dp]")]] Tensor y) {
  Tensor l = spmd::out_partial(
      F::cross_entropy(logits, y,
                       F::CrossEntropyFuncOptions().reduction(torch::kSum)),
      dp);
  return spmd::all_reduce(l, dp, spmd::P, spmd::R);
}
[[spmd::global]] Tensor unknown([[spmd::type("[B@dp, V]")]] Tensor logits,
                                [[spmd::type("[B@dp]")]] Tensor y,
                                F::CrossEntropyFuncOptions options) {
  return F::cross_entropy(logits, y, options);
}
