// What each rank has added up of its shard is a term of a sum: it is summed where it is made, also before what is not linear.
// Means are averaged, and of extremes and norms nobody can tell: no collective behind them makes of them what one device has.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not="through all_gather from V" --implicit-check-not="through reinterpret"

#include <spmd/torch.h>
#include <torch/torch.h>

[[spmd::axis("tp")]] extern spmd::Axis tp;

// CHECK: error: the value returned from 'scaled' must be R on 'tp', but 'w * x.sum()' is V
// CHECK: :[[#@LINE+4]]:14: note: fix: say that the result of 'sum' is a pending sum on 'tp', and add it up (moves 2(N-1)/N of it over 'tp'; backward: all_reduce) [unsafe]
// CHECK: spmd::all_reduce(spmd::out_partial(x.sum(), tp), tp, spmd::P, spmd::R)
[[spmd::type("tp: R")]] at::Tensor scaled([[spmd::type("tp: V")]] at::Tensor x,
                                          [[spmd::type("tp: R")]] at::Tensor w) {
  return w * x.sum();
}

// CHECK: error: the value returned from 'chosen' must be R on 'tp'
// CHECK: :[[#@LINE+4]]:26: note: fix: say that the result of 'sum' is a pending sum on 'tp', and add it up
// CHECK: spmd::all_reduce(spmd::out_partial(x.sum(0), tp), tp, spmd::P, spmd::R)
[[spmd::type("tp: R")]] at::Tensor chosen([[spmd::type("tp: S(0)")]] at::Tensor x,
                                          [[spmd::type("tp: R")]] at::Tensor w) {
  return at::softmax(w * x.sum(0), 0);
}

// CHECK: error: the value returned from 'rooted' must be R on 'tp', but 'x.pow(2).mean().sqrt()' is V
// CHECK: note: fix: average the ranks' results of 'mean' on 'tp': divide them by the number of ranks, and add them up [unsafe]
[[spmd::type("tp: R")]] at::Tensor rooted([[spmd::type("tp: S(0)")]] at::Tensor x) { return x.pow(2).mean().sqrt(); }

// CHECK: error: the value returned from 'lost' must be R on 'tp'
// CHECK: note: fix: average the ranks' results of 'mse_loss' on 'tp'
[[spmd::type("tp: R")]] at::Tensor lost([[spmd::type("tp: V")]] at::Tensor x, [[spmd::type("tp: V")]] at::Tensor y) {
  return at::mse_loss(x, y);
}

// CHECK: error: the value returned from 'longest' must be R on 'tp'
// CHECK-NOT: note: fix:
[[spmd::type("tp: R")]] at::Tensor longest([[spmd::type("tp: V")]] at::Tensor x) { return x.norm(); }

// CHECK: error: the value returned from 'largest' must be R on 'tp'
// CHECK-NOT: note: fix:
[[spmd::type("tp: R")]] at::Tensor largest([[spmd::type("tp: S(0)")]] at::Tensor x) { return x.max(); }

// CHECK: error: the value returned from 'share' must be R on 'tp'
// CHECK: note: fix: say that each of the 2 sums is a pending sum on 'tp', and add it up
[[spmd::type("tp: R")]] at::Tensor share([[spmd::type("tp: V")]] at::Tensor x, [[spmd::type("tp: V")]] at::Tensor y) {
  return x.sum() / y.sum();
}

// CHECK: error: the value returned from 'centred' must be R on 'tp'
// CHECK-NOT: note: fix:
[[spmd::type("tp: R")]] at::Tensor centred([[spmd::type("tp: S(0)")]] at::Tensor x) { return x - x.sum(0); }

// CHECK: error: the value returned from 'row' must be R on 'tp'
// CHECK: note: fix: say that the result of 'linear' is a pending sum on 'tp', and add it up
[[spmd::type("tp: R")]] at::Tensor row([[spmd::type("tp: V")]] at::Tensor x, [[spmd::type("tp: S(1)")]] at::Tensor w,
                                       [[spmd::type("tp: R")]] at::Tensor bias) {
  return at::linear(x, w) + bias;
}
