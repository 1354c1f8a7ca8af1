// What global code says about ops: message, column and notes.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s

#include <spmd/torch.h>
#include <torch/torch.h>

namespace [[spmd::mesh("dp=2, tp=4, cp=2")]] trainer {

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

// CHECK: ops.cpp:[[#@LINE+9]]:10: error: 'matmul' adds up 'k', which 'tp' shards: each rank would have a part of the sum as if it were the sum; say out_partial, or make 'k' whole first [spmd-shard-propagation]
// CHECK: ops.cpp:[[#@LINE+8]]:10: note: the rule of 'matmul' is m [k], [k] n -> m n
// CHECK: ops.cpp:[[#@LINE+5]]:26: note: 'h' is [B@dp, H@tp]: declared here
// CHECK: ops.cpp:[[#@LINE+5]]:23: note: 'w' is [H@tp, D]: declared here
// CHECK: note: fix: say that the result of 'matmul' is a pending sum on 'tp', and add it up
// CHECK: spmd::all_reduce(spmd::out_partial(at::matmul(h, w), tp), tp, spmd::P, spmd::R)
[[spmd::global]] at::Tensor
contraction([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor h,
         [[spmd::type("f32[H@tp, D]{dp: R, cp: R}")]] at::Tensor w) {
  return at::matmul(h, w);
}

// CHECK: ops.cpp:[[#@LINE+5]]:10: error: 'b' is sharded on 'dp' in 'x', but not in 'y': 'add' would combine different parts of it [spmd-shard-propagation]
// CHECK: spmd::convert(y, dp, spmd::R, spmd::S(0))
[[spmd::global]] at::Tensor
missing([[spmd::type("f32[B@dp, S]{tp: R, cp: R}")]] at::Tensor x,
        [[spmd::type("f32[B, S]{dp: R, tp: R, cp: R}")]] at::Tensor y) {
  return x + y;
}

// CHECK: ops.cpp:[[#@LINE+4]]:10: error: 'dp' shards 'm' in 'x' and 'n' in 'w': each rank would have a block on the diagonal of the result, and none the others
[[spmd::global]] at::Tensor
repeated([[spmd::type("f32[B@dp, K]{tp: R, cp: R}")]] at::Tensor x,
         [[spmd::type("f32[K, N@dp]{tp: R, cp: R}")]] at::Tensor w) {
  return at::matmul(x, w);
}

// CHECK: ops.cpp:[[#@LINE+4]]:10: error: 'softmax' needs 'h' whole, but 'tp' shards it in 'x': each rank would look at its part alone
// CHECK: spmd::all_gather(x, tp, spmd::S(1), spmd::R)
[[spmd::global]] at::Tensor
whole([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x) {
  return torch::softmax(x, -1);
}

// CHECK: ops.cpp:[[#@LINE+3]]:10: error: 'flatten' joins 's', which 'tp' shards, with dims before it: a rank's part would not be one piece of the result
[[spmd::global]] at::Tensor
view([[spmd::type("f32[B@dp, S@tp, H]")]] at::Tensor x) {
  return x.flatten(0, 1);
}

// CHECK: ops.cpp:[[#@LINE+4]]:10: error: 'matmul' takes 'k' of 'x' and of 'w' for the same, but they are [B@dp, H] and [D, N]
[[spmd::global]] at::Tensor
sizes([[spmd::type("f32[B@dp, H]{tp: R, cp: R}")]] at::Tensor x,
      [[spmd::type("f32[D, N]{dp: R, tp: R, cp: R}")]] at::Tensor w) {
  return at::matmul(x, w);
}

// CHECK: ops.cpp:[[#@LINE+3]]:10: error: 'softmax' is called with dim = 2, but 'x' is [B@dp, H]
[[spmd::global]] at::Tensor
dimension([[spmd::type("f32[B@dp, H]{tp: R, cp: R}")]] at::Tensor x) {
  return torch::softmax(x, 2);
}

// The distance that elements move is no tensor.
// CHECK: ops.cpp:[[#@LINE+3]]:10: error: 'roll' needs 'h' whole, but 'tp' shards it in 'x'
[[spmd::global]] at::Tensor
rolled([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x) {
  return x.roll(1, 1);
}
// CHECK: ops.cpp:[[#@LINE+3]]:10: error: 'roll' needs 'h' whole, but 'tp' shards it in 'x'
[[spmd::global]] at::Tensor
rolled_by_list([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x) {
  return x.roll({1}, {1});
}

// One axis is checked globally, the other is the function's own business.
[[spmd::global("dp")]] at::Tensor
one_axis([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x) {
  return torch::softmax(x, -1);
}

// The same code without a mode is local, and right there.
at::Tensor local([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x) {
  return torch::softmax(x, -1);
}

// What is called is checked in the caller's mode, with the caller's specs.
at::Tensor normalised(at::Tensor x) { return torch::softmax(x, -1); }
// CHECK: ops.cpp:[[#@LINE-1]]:46: error: 'softmax' needs 'h' whole, but 'tp' shards it in 'x'
// CHECK: ops.cpp:[[#@LINE+3]]:10: note: with the types of this call in 'caller'
[[spmd::global]] at::Tensor
caller([[spmd::type("f32[B@dp, H@tp]")]] at::Tensor x) {
  return normalised(x);
}

// A private member of another class is no name for the axis.
class Layer {
  [[spmd::axis("cp")]] spmd::Axis cp_;
};
class Block {
public:
  // CHECK: ops.cpp:[[#@LINE+4]]:12: error: 'softmax' needs 's' whole, but 'cp' shards it
  // CHECK-NOT: layer_.cp_
  [[spmd::global]] at::Tensor
  forward([[spmd::type("f32[B, S@cp]{dp: R, tp: R}")]] at::Tensor x) {
    return torch::softmax(x, -1);
  }

private:
  Layer layer_;
};

} // namespace trainer
