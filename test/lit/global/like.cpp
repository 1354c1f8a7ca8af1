// Tensors that take their dims from another one: what they are then checked for.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s

#include <spmd/torch.h>
#include <torch/torch.h>

namespace [[spmd::mesh("dp=2, tp=4")]] trainer {

[[spmd::axis("tp")]] extern spmd::Axis tp;

// CHECK: like.cpp:[[#@LINE+4]]:10: error: 'softmax' needs 'h' whole, but 'tp' shards it in 'at::zeros_like(x)'
// CHECK: like.cpp:[[#@LINE+3]]:25: note: 'at::zeros_like(x)' is [B@dp, H@tp]
[[spmd::global]] at::Tensor
zeros([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x) {
  return torch::softmax(at::zeros_like(x), -1);
}

// CHECK: like.cpp:[[#@LINE+4]]:10: error: 'flatten' joins 's', which 'tp' shards, with dims before it
[[spmd::global]] at::Tensor
noise([[spmd::type("f32[B@dp, S@tp, H]")]] at::Tensor x) {
  at::Tensor n = at::randn_like(x);
  return n.flatten(0, 1);
}

// CHECK: like.cpp:[[#@LINE+4]]:10: error: 'b' is sharded on 'dp' in 'at::full_like(x, 2.0)', but not in 'y': 'add' would combine different parts of it
[[spmd::global]] at::Tensor
full([[spmd::type("f32[B@dp, H]{tp: R}")]] at::Tensor x,
     [[spmd::type("f32[B, H]{dp: R, tp: R}")]] at::Tensor y) {
  return at::full_like(x, 2.0) + y;
}

// CHECK: like.cpp:[[#@LINE+4]]:10: error: 'h' is sharded on 'tp' in 'x', but not in 'bias': 'expand_as' would combine different parts of it
[[spmd::global]] at::Tensor
expanded([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x,
         [[spmd::type("f32[H]{dp: R, tp: R}")]] at::Tensor bias) {
  return bias.expand_as(x);
}

// CHECK: like.cpp:[[#@LINE+4]]:10: error: 'softmax' needs 'h' whole, but 'tp' shards it in 'x.view_as(y)'
[[spmd::global]] at::Tensor
viewed([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x,
       [[spmd::type("f32[B@dp, H@tp]")]] at::Tensor y) {
  return torch::softmax(x.view_as(y), -1);
}

// CHECK-NOT: error:
[[spmd::global]] at::Tensor
right([[spmd::type("f32[B@dp, S, H@tp]")]] at::Tensor x,
      [[spmd::type("f32[H@tp]{dp: R}")]] at::Tensor bias,
      [[spmd::type("f32[S, 1]{dp: I, tp: I}")]] at::Tensor scale) {
  at::Tensor sum = at::zeros_like(x);
  sum.add_(x);
  at::Tensor buffer = at::empty_like(x);
  buffer.copy_(x);
  at::Tensor wide = bias.expand_as(x);
  at::Tensor open = scale.expand_as(x);
  at::Tensor whole =
      spmd::all_gather(at::ones_like(x), tp, spmd::S(2), spmd::R);
  at::Tensor soft = torch::softmax(whole, -1);
  return sum * at::rand_like(x) + buffer.view_as(x) + wide +
         at::full_like(x, 0.5) + torch::softmax(at::randn_like(x), 1);
}

} // namespace trainer
