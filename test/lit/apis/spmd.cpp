// The library's own operators: declared types are checked against the operand's
// and against the table.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

struct Axes {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::axis("dp")]] spmd::Axis dp;

  void right([[spmd::type("tp: R, dp: V")]] const Tensor &r,
             [[spmd::type("tp: I, dp: V")]] const Tensor &i,
             [[spmd::type("tp: S(0), dp: V")]] const Tensor &s,
             [[spmd::type("tp: P, dp: V")]] const Tensor &p) {
    spmd::assert_type(spmd::convert(r, tp, spmd::R, spmd::S(0)), "tp: S(0)");
    spmd::assert_type(spmd::convert(r, tp, spmd::R, spmd::P), "tp: P");
    spmd::assert_type(spmd::reinterpret(i, tp, spmd::I, spmd::R), "tp: R");
    spmd::assert_type(spmd::all_gather(s, tp, spmd::S(0), spmd::R), "tp: R");
    spmd::assert_type(spmd::all_gather(s, tp, spmd::S(0), spmd::I), "tp: I");
    spmd::assert_type(spmd::all_to_all(s, tp, spmd::S(0), spmd::S(1)), "tp: S(1)");
    spmd::assert_type(spmd::all_reduce(p, tp, spmd::P, spmd::R), "tp: R, dp: V");
    spmd::assert_type(spmd::reduce_scatter(p, tp, spmd::P, spmd::S(1)), "tp: S(1)");
    spmd::assert_type(spmd::out_partial(at::matmul(s, s), tp), "tp: P");
  }

  void wrong([[spmd::type("tp: R, dp: P")]] const Tensor &r,
             [[spmd::type("tp: I")]] const Tensor &i,
             [[spmd::type("tp: S(0)")]] const Tensor &s,
             [[spmd::type("tp: P")]] const Tensor &p) {
    spmd::all_reduce(r, tp, spmd::P, spmd::R);
    // CHECK: [[@LINE-1]]:5: error: all_reduce on 'tp' takes P, but 'r' is R: summing equal values multiplies them by the axis size [spmd-src-type]
    // CHECK: [[@LINE-2]]:25: note: fix: run this all_reduce on 'dp', where 'r' is P
    spmd::all_gather(s, tp, spmd::S(1), spmd::R);
    // CHECK: [[@LINE-1]]:5: error: all_gather on 'tp' takes S(1), but 's' is S(0){{.*}} [spmd-src-type]
    spmd::all_gather(i, tp, spmd::V, spmd::R);
    // CHECK: [[@LINE-1]]:5: error: all_gather on 'tp' takes V, but 'i' is I{{.*}} [spmd-src-type]
    spmd::reduce_scatter(s, tp, spmd::P, spmd::S(0));
    // CHECK: [[@LINE-1]]:5: error: reduce_scatter on 'tp' takes P, but 's' is S(0){{.*}} [spmd-src-type]
    spmd::assert_type(p, "tp: R");
    // CHECK: [[@LINE-1]]:5: error: this value must be R on 'tp', but 'p' is P{{.*}} [spmd-contract]
  }
};
