// Contracts on full specs, local regions and collectives in global code.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s

#include <spmd/torch.h>
#include <torch/torch.h>

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

void consume([[spmd::type("f32[N@dp, C]{tp: R}")]] at::Tensor x);

// CHECK: contracts.cpp:[[#@LINE+4]]:3: error: the argument for 'x' must be [B@dp, S], but 'x' is [B, S@dp]: each rank's part is taken for another one [spmd-contract]
// CHECK: contracts.cpp:[[#@LINE-3]]:27: note: declared to be [B@dp, S] here
[[spmd::global]] void
other_dim([[spmd::type("f32[B, S@dp]{tp: R}")]] at::Tensor x) {
  consume(x);
}

// CHECK: contracts.cpp:[[#@LINE+3]]:3: error: the value returned from 'order' must be [B@(tp,dp)], but 'x' is [B@(dp,tp)]
[[spmd::global]] [[spmd::type("f32[B@(tp,dp)]")]] at::Tensor
order([[spmd::type("f32[B@(dp,tp)]")]] at::Tensor x) {
  return x;
}

// CHECK: contracts.cpp:[[#@LINE+4]]:10: error: all_gather on 'dp', but dim 0 of 'x' is sharded on (dp,tp): only the last of them can be taken off, the ranks' parts would be put together in the wrong order [spmd-shard-order]
// CHECK: note: fix: take 'x' through all_gather from S(0) to R on 'tp'
[[spmd::global]] at::Tensor
inner_first([[spmd::type("f32[B@(dp,tp), H]")]] at::Tensor x) {
  return spmd::all_gather(x, dp, spmd::S(0), spmd::R);
}

// CHECK: contracts.cpp:[[#@LINE+3]]:10: error: all_gather with V stacks what the ranks have, which is nothing that 'x' means as a whole: say S(i), or do it in a local_map [spmd-shard-propagation]
[[spmd::global]] at::Tensor
stacks([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x) {
  return spmd::all_gather(x, tp, spmd::V, spmd::R);
}

// Inside of a local_map each rank's values are its own; its contract counts.
[[spmd::local_map]] [[spmd::type("f32[B@dp, H@tp]")]] at::Tensor
own_softmax([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x) {
  return torch::softmax(x, -1);
}
[[spmd::global]] [[spmd::type("f32[B@dp, H@tp]")]] at::Tensor
calls_local([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x) {
  return own_softmax(x);
}
// CHECK-NOT: own_softmax
