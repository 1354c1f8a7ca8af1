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
    spmd::assert_type(spmd::all_reduce_mean(p, tp, spmd::P, spmd::R), "tp: R, dp: V");
    spmd::assert_type(spmd::all_reduce_mean(p, tp, spmd::P, spmd::I), "tp: I");
    spmd::assert_type(spmd::all_reduce_mean(s, tp, spmd::V, spmd::R), "tp: R");
  }

  // A mean is linear in what is pending on another axis.
  void twice([[spmd::type("tp: P, dp: P")]] const Tensor &p) {
    Tensor once = spmd::all_reduce_mean(p, tp, spmd::P, spmd::R);
    spmd::assert_type(once, "tp: R, dp: P");
    spmd::assert_type(spmd::all_reduce_mean(once, dp, spmd::P, spmd::I),
                      "tp: R, dp: I");
  }

  // Tags in variables, and with sizes of the shards.
  void tags([[spmd::type("tp: S(0)")]] const Tensor &s,
            [[spmd::type("tp: P")]] const Tensor &p, int dim) {
    const auto rows = spmd::S(0), columns = spmd::S(1);
    const auto cut = spmd::S(0, {3, 1});
    spmd::assert_type(spmd::all_gather(s, tp, rows, spmd::R), "tp: R");
    spmd::assert_type(spmd::all_gather(s, tp, cut, spmd::I), "tp: I");
    spmd::assert_type(spmd::all_gather(s, tp, spmd::S(dim), spmd::R), "tp: R");
    spmd::assert_type(spmd::reduce_scatter(p, tp, spmd::P, cut), "tp: S(0)");
    spmd::assert_type(spmd::reduce_scatter(p, tp, spmd::P, spmd::S(dim)),
                      "tp: V");
    spmd::all_gather(s, tp, columns, spmd::R);
    // CHECK: [[@LINE-1]]:5: error: all_gather on 'tp' takes S(1), but 's' is S(0){{.*}} [spmd-src-type]
    spmd::all_gather(p, tp, cut, spmd::R);
    // CHECK: [[@LINE-1]]:5: error: all_gather on 'tp' takes S(0), but 'p' is P: parts of a sum must be added, not put side by side [spmd-src-type]
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
    spmd::all_reduce_mean(s, tp, spmd::P, spmd::R);
    // CHECK: [[@LINE-1]]:5: error: all_reduce on 'tp' takes P, but 's' is S(0): its backward is chosen by the source type and would be wrong [spmd-src-type]
    // CHECK: [[@LINE-2]]:27: note: fix: take 's' through reinterpret from V to P on 'tp' (no communication; backward: no communication) [unsafe]
    // CHECK: [[@LINE-3]]:34: note: fix: declare the source as S(0) [unsafe]
    spmd::all_reduce_mean(i, tp, spmd::P, spmd::I);
    // CHECK: [[@LINE-1]]:5: error: all_reduce on 'tp' takes P, but 'i' is I: the mean of equal values is each of them, and its backward is that of a pending sum [spmd-src-type]
    // CHECK: [[@LINE-2]]:5: note: fix: remove this all_reduce: 'i' needs none on 'tp'
    spmd::assert_type(spmd::all_reduce_mean(p, tp, spmd::P, spmd::R), "tp: I");
    // CHECK: [[@LINE-1]]:5: error: this value must be I on 'tp', but this value is R{{.*}} [spmd-contract]
    spmd::assert_type(p, "tp: R");
    // CHECK: [[@LINE-1]]:5: error: this value must be R on 'tp', but 'p' is P{{.*}} [spmd-contract]
  }
};
