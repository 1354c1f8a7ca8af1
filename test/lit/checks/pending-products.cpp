// A collective that takes P is given terms of a sum: out_partial is said of the
// products behind them, through scaling, sums and branches. Nothing is offered
// that would only hide what is added to them.
//
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error: --implicit-check-not=reinterpret --implicit-check-not='declare the source'
// RUN: cp %s %t.cpp && %spmd-tidy --fix %t.cpp -- %stubs >/dev/null 2>&1 || true
// RUN: FileCheck --check-prefix=FIXED %s < %t.cpp

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

struct Row {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: S(0)")]] Tensor w;
  [[spmd::type("tp: R")]] Tensor b;

  [[spmd::type("tp: I")]] Tensor
  onOneWay([[spmd::type("tp: S(1)")]] Tensor h, bool with_bias) {
    auto y = at::matmul(h, w);
    // CHECK: [[#@LINE+3]]:11: error: 'b' is R and is added to 'y', which is each rank's term of a sum over 'tp'
    // CHECK: note: on the way where 'with_bias' is true
    if (with_bias)
      y = y + b;
    // CHECK: [[#@LINE+2]]:12: error: all_reduce on 'tp' takes P, but 'y' is V
    // CHECK: fix: say that the result of 'matmul' is a pending sum on 'tp', for later code to reduce [unsafe]
    return spmd::all_reduce(y, tp, spmd::P, spmd::I);
  }
  [[spmd::type("tp: I")]] Tensor
  scaled([[spmd::type("tp: S(1)")]] Tensor h) {
    // FIXED: auto y = spmd::out_partial(at::matmul(h, w), tp) * 0.5 / 3;
    auto y = at::matmul(h, w) * 0.5 / 3;
    // CHECK: [[#@LINE+1]]:12: error: all_reduce on 'tp' takes P, but 'y' is V
    return spmd::all_reduce(y, tp, spmd::P, spmd::I);
  }
  [[spmd::type("tp: I")]] Tensor two([[spmd::type("tp: S(1)")]] Tensor h) {
    // FIXED: auto y = spmd::out_partial(at::matmul(h, w), tp) + spmd::out_partial(at::matmul(h, w), tp);
    auto y = at::matmul(h, w) + at::matmul(h, w);
    // CHECK: [[#@LINE+2]]:12: error: all_reduce on 'tp' takes P, but 'y' is V
    // CHECK: fix: say that each of the 2 products is a pending sum on 'tp', for later code to reduce
    return spmd::all_reduce(y, tp, spmd::P, spmd::I);
  }
  [[spmd::type("tp: I")]] Tensor chosen([[spmd::type("tp: S(1)")]] Tensor h,
                                        bool twice) {
    // FIXED: twice ? spmd::out_partial(at::matmul(h * 2, w), tp) : spmd::out_partial(at::matmul(h, w), tp);
    auto y = twice ? at::matmul(h * 2, w) : at::matmul(h, w);
    // CHECK: [[#@LINE+1]]:12: error: all_reduce on 'tp' takes P, but 'y' is V
    return spmd::all_reduce(y, tp, spmd::P, spmd::I);
  }
  [[spmd::type("tp: I")]] Tensor inPlace([[spmd::type("tp: S(1)")]] Tensor h) {
    // FIXED: auto y = spmd::out_partial(at::matmul(h, w), tp);
    auto y = at::matmul(h, w);
    // CHECK: [[#@LINE+3]]:5: error: 'b' is R and is added to 'y'
    // CHECK: fix: take 'b' through convert from R to P on 'tp', and say that the result of 'matmul' is a pending sum on 'tp'
    // FIXED: y += spmd::convert(b, tp, spmd::R, spmd::P);
    y += b;
    return spmd::all_reduce(y, tp, spmd::P, spmd::I);
  }
};
