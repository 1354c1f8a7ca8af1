// A reduction adds up what the ranks have at one place: of shards, these are
// different elements.
//
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>

[[spmd::axis("tp")]] extern spmd::Axis tp;

namespace [[spmd::mesh("tp=4")]] program {

[[spmd::global]] at::Tensor
allReduced([[spmd::type("f32[8@tp,4]")]] const at::Tensor &x) {
  // CHECK: [[#@LINE+1]]:10: error: all_reduce on 'tp' adds up the shards along dim 0 of 'x', which is [8@tp, 4]: these are different elements of it [spmd-shard-propagation]
  return spmd::all_reduce(x, tp, spmd::S(0), spmd::R);
}
[[spmd::global]] at::Tensor
scattered([[spmd::type("f32[8@tp,4]")]] const at::Tensor &x) {
  // CHECK: [[#@LINE+1]]:10: error: reduce_scatter on 'tp' adds up the shards along dim 0 of 'x', which is [8@tp, 4]: these are different elements of it [spmd-shard-propagation]
  return spmd::reduce_scatter(x, tp, spmd::S(0), spmd::S(0));
}
// A pending sum is one of all elements.
[[spmd::global]] at::Tensor
sum([[spmd::type("f32[8,4]{tp: P}")]] const at::Tensor &x) {
  return spmd::all_reduce(x, tp, spmd::P, spmd::R);
}
[[spmd::global]] at::Tensor
sumOfPart([[spmd::type("f32[8,4]{tp: P}")]] const at::Tensor &x) {
  return spmd::reduce_scatter(x, tp, spmd::P, spmd::S(0));
}
// In local code shards are terms if someone says so.
at::Tensor terms([[spmd::type("tp: S(0)")]] const at::Tensor &x) {
  return spmd::all_reduce(x, tp, spmd::V, spmd::R);
}

} // namespace program
