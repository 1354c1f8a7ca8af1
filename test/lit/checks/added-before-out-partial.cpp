// What is added to terms of a sum before out_partial says that they are one is
// in it once per rank, wherever it is added: in place, before a view, on one
// way of several, or as a number. What one rank alone adds is in it once.
//
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: cp %s %t.cpp && %spmd-tidy --fix %t.cpp -- %stubs >/dev/null 2>&1 || true
// RUN: FileCheck --check-prefix=FIXED %s < %t.cpp

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

struct Row {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: S(0)")]] Tensor w;
  [[spmd::type("tp: R")]] Tensor b;
  int number;

  Tensor literal([[spmd::type("tp: S(1)")]] Tensor h) {
    // CHECK: [[#@LINE+1]]:30: error: the constant '1' is added to 'at::matmul(h, w)', which is each rank's term of a sum over 'tp', in 'add': the sum would count it once per rank [spmd-partial-add]
    return spmd::out_partial(at::matmul(h, w) + 1, tp);
  }
  Tensor inPlace([[spmd::type("tp: S(1)")]] Tensor h) {
    auto y = at::matmul(h, w);
    // CHECK: [[#@LINE+3]]:5: error: 'b' is R and is added to 'y', which is each rank's term of a sum over 'tp', in 'add': the sum would count it once per rank
    // CHECK: [[#@LINE+3]]:12: note: said to be a pending sum over 'tp' here
    // FIXED: y += spmd::convert(b, tp, spmd::R, spmd::P);
    y += b;
    return spmd::out_partial(y, tp);
  }
  Tensor viewed([[spmd::type("tp: S(1)")]] Tensor h) {
    // CHECK: [[#@LINE+1]]:31: error: 'b' is R and is added to
    return spmd::out_partial((at::matmul(h, w) + b).view({-1, 8}), tp);
  }
  Tensor chained([[spmd::type("tp: S(1)")]] Tensor h) {
    // CHECK: [[#@LINE+1]]:30: error: 'b' is R and is added to
    return spmd::out_partial(at::matmul(h, w).add_(b), tp);
  }
  Tensor onOneWay([[spmd::type("tp: S(1)")]] Tensor h, bool bias) {
    auto y = at::matmul(h, w);
    // CHECK: [[#@LINE+3]]:11: error: 'b' is R and is added to 'y'
    // CHECK: note: on the way where 'bias' is true
    if (bias)
      y = y + b;
    return spmd::out_partial(y, tp);
  }
  Tensor chosen([[spmd::type("tp: S(1)")]] Tensor h, bool bias) {
    // CHECK: [[#@LINE+1]]:37: error: 'b' is R and is added to
    return spmd::out_partial(bias ? at::matmul(h, w) + b : at::matmul(h, w),
                             tp);
  }
  // All ranks have it, or none does.
  Tensor ifDefined([[spmd::type("tp: S(1)")]] Tensor h) {
    auto y = at::matmul(h, w);
    // CHECK: [[#@LINE+2]]:7: error: 'b' is R and is added to 'y'
    if (b.defined())
      y += b;
    return spmd::out_partial(y, tp);
  }

  Tensor onFirst([[spmd::type("tp: S(1)")]] Tensor h) {
    auto y = at::matmul(h, w);
    const bool root = tp.rank() == 0;
    if (root)
      y = y + b;
    return spmd::out_partial(tp.rank() == 1 ? y + b : y, tp);
  }
  Tensor onGiven([[spmd::type("tp: S(1)")]] Tensor h,
                 [[spmd::type("tp: V")]] bool root, bool bias) {
    auto y = at::matmul(h, w);
    if (bias && root)
      y += b;
    if (number == 0)
      y += b;
    return spmd::out_partial(y, tp);
  }
  Tensor converted([[spmd::type("tp: S(1)")]] Tensor h, bool bias) {
    auto y = spmd::out_partial(at::matmul(h, w), tp);
    if (bias)
      y = y + spmd::convert(b, tp, spmd::R, spmd::P);
    return y;
  }
  Tensor behind([[spmd::type("tp: S(1)")]] Tensor h, bool bias) {
    auto y = at::matmul(h, w);
    if (bias) {
      y = spmd::all_reduce(spmd::out_partial(y, tp), tp, spmd::P, spmd::R);
      y = y + b;
    }
    return y;
  }
  Tensor shares([[spmd::type("tp: S(1)")]] Tensor h) {
    return spmd::out_partial(at::matmul(h, w) * 2 + 1.0 / tp.size(), tp);
  }
  Tensor average([[spmd::type("tp: S(1)")]] Tensor h) {
    return spmd::out_partial((at::matmul(h, w) + b) / tp.size(), tp);
  }
};

// Elements of shards, of which each is on one rank.
[[spmd::axis("dp")]] extern spmd::Axis dp;
Tensor elements([[spmd::type("dp: S(0)")]] Tensor x,
                [[spmd::type("dp: R")]] Tensor mean) {
  auto all = spmd::out_partial((x - mean).sum() + (x + 1).sum(), dp);
  return spmd::all_reduce(all, dp, spmd::P, spmd::R);
}
