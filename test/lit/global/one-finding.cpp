// What is wrong with the shards of a value is said once: what the value is on
// that axis is then up to how that is put right. All else is still checked.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

namespace [[spmd::mesh("dp=2, tp=4")]] trainer {

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

[[spmd::global]] [[spmd::type("f32[B@dp, D]{tp: R}")]] Tensor
reduced([[spmd::type("f32[B@dp, H@tp]")]] Tensor h,
        [[spmd::type("f32[H@tp, D]{dp: R}")]] Tensor w) {
  return spmd::all_reduce(at::matmul(h, w), tp, spmd::P, spmd::R);
  // CHECK: [[@LINE-1]]:27: error: 'matmul' adds up 'k', which 'tp' shards{{.*}} [spmd-shard-propagation]
}

[[spmd::global]] [[spmd::type("f32[B@dp, D]{tp: R}")]] Tensor
returned([[spmd::type("f32[B@dp, H@tp]")]] Tensor h,
         [[spmd::type("f32[H@tp, D]{dp: R}")]] Tensor w) {
  return at::matmul(h, w);
  // CHECK: [[@LINE-1]]:10: error: 'matmul' adds up 'k', which 'tp' shards{{.*}} [spmd-shard-propagation]
}

[[spmd::global]] [[spmd::type("f32[B@dp, H]{tp: R}")]] Tensor
whole([[spmd::type("f32[B@dp, H@tp]")]] Tensor x) {
  return torch::softmax(x, -1);
  // CHECK: [[@LINE-1]]:10: error: 'softmax' needs 'h' whole, but 'tp' shards it{{.*}} [spmd-shard-propagation]
}

// Of another axis.
[[spmd::global]] void other_axis([[spmd::type("f32[B@dp, H@tp]")]] Tensor h,
                                 [[spmd::type("f32[H@tp, D]{dp: R}")]] Tensor w) {
  Tensor y = at::matmul(h, w);
  // CHECK: [[@LINE-1]]:14: error: 'matmul' adds up 'k', which 'tp' shards{{.*}} [spmd-shard-propagation]
  spmd::all_reduce(y, dp, spmd::P, spmd::R);
  // CHECK: [[@LINE-1]]:3: error: all_reduce on 'dp' takes P, but 'y' is V{{.*}} [spmd-src-type]
}

// Of another value.
[[spmd::global]] void other_value([[spmd::type("f32[B@dp, H@tp]")]] Tensor h,
                                  [[spmd::type("f32[H@tp, D]{dp: R}")]] Tensor w) {
  Tensor y = at::matmul(h, w);
  // CHECK: [[@LINE-1]]:14: error: 'matmul' adds up 'k', which 'tp' shards{{.*}} [spmd-shard-propagation]
  spmd::all_reduce(h, tp, spmd::P, spmd::R);
  // CHECK: [[@LINE-1]]:3: error: all_reduce on 'tp' takes P, but 'h' is S(1){{.*}} [spmd-src-type]
}

// A mistake does not come round a loop to excuse another.
[[spmd::global]] void loop([[spmd::type("f32[B@dp, H@tp]")]] Tensor h,
                           [[spmd::type("f32[H@tp, D]{dp: R}")]] Tensor w,
                           int n) {
  Tensor y = h;
  for (int i = 0; i < n; ++i) {
    spmd::all_reduce(y, tp, spmd::P, spmd::R);
    // CHECK: [[@LINE-1]]:5: error: all_reduce on 'tp' takes P, but 'y' is S(1){{.*}} [spmd-src-type]
    y = torch::softmax(h, -1);
    // CHECK: [[@LINE-1]]:9: error: 'softmax' needs 'h' whole{{.*}} [spmd-shard-propagation]
  }
}

// Shards with sizes of their own, or of a dim that nobody knows here, have no
// spec: nothing is said of them.
[[spmd::global]] void no_spec([[spmd::type("f32[B@dp, H@tp]")]] Tensor h,
                              [[spmd::type("f32[B@dp, H]{tp: P}")]] Tensor p,
                              int dim) {
  Tensor a = spmd::all_gather(h, tp, spmd::S(dim), spmd::R);
  Tensor b = spmd::reduce_scatter(p, tp, spmd::P, spmd::S(dim));
  Tensor c = spmd::reduce_scatter(p, tp, spmd::P, spmd::S(1, {3, 1, 1, 1}));
  const auto columns = spmd::S(1);
  Tensor d = spmd::all_gather(h, tp, columns, spmd::R);
  spmd::assert_type(d, "f32[B@dp, H]{tp: R}");
}

} // namespace trainer
