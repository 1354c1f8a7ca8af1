// What is wrong in each iteration is so although no one knows what the first
// one leaves to the second.
//
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>

[[spmd::axis("tp")]] extern spmd::Axis tp;

namespace [[spmd::mesh("tp=4")]] program {

[[spmd::global]] at::Tensor
normalised([[spmd::type("f32[8,4@tp]")]] at::Tensor x, int n) {
  for (int i = 0; i < n; ++i)
    // CHECK: [[#@LINE+1]]:9: error: 'softmax' needs 'j' whole, but 'tp' shards it in 'x': each rank would look at its part alone [spmd-shard-propagation]
    x = at::softmax(x, 1);
  return x;
}
[[spmd::global]] at::Tensor
deeper([[spmd::type("f32[8,4@tp]")]] at::Tensor x, int n) {
  auto y = x;
  for (int i = 0; i < n; ++i)
    // CHECK: [[#@LINE+1]]:18: error: 'softmax' needs 'j' whole, but 'tp' shards it in 'y': each rank would look at its part alone [spmd-shard-propagation]
    y = at::relu(at::softmax(y, 1)) + x;
  return y;
}
[[spmd::global]] at::Tensor
blocks([[spmd::type("f32[8,16]{tp: R}")]] at::Tensor x,
       [[spmd::type("f32[16,16@tp]")]] const at::Tensor &up,
       [[spmd::type("f32[16@tp,16]")]] const at::Tensor &down, int n) {
  for (int i = 0; i < n; ++i)
    // CHECK: [[#@LINE+1]]:13: error: 'matmul' adds up 'k', which 'tp' shards: each rank would have a part of the sum as if it were the sum; say out_partial, or make 'k' whole first [spmd-shard-propagation]
    x = x + at::matmul(at::matmul(x, up), down);
  return x;
}
[[spmd::global]] at::Tensor
right([[spmd::type("f32[8,4@tp]")]] at::Tensor x, int n) {
  for (int i = 0; i < n; ++i)
    x = at::softmax(x, 0);
  return x;
}

} // namespace program
