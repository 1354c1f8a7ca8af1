// Operators that are told a root, counts or where to send are typed by the
// table, as all others.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

struct Axes {
  [[spmd::axis("tp")]] spmd::Axis tp;

  void right([[spmd::type("tp: V")]] const Tensor &v,
             [[spmd::type("tp: P")]] const Tensor &p,
             [[spmd::type("tp: I")]] const Tensor &i,
             const spmd::ChunkSizes &to, const spmd::ChunkSizes &from) {
    spmd::assert_type(spmd::permute(v, tp, spmd::V, spmd::V, spmd::shift(1)),
                      "tp: V");
    spmd::assert_type(
        permute_async(v, tp, spmd::V, spmd::V, spmd::shift(1, false)).wait(),
        "tp: V");
    spmd::assert_type(spmd::all_to_all(v, tp, spmd::V, spmd::V, to, from),
                      "tp: V");
    spmd::assert_type(spmd::broadcast(v, tp, spmd::V, spmd::R, 0), "tp: R");
    spmd::assert_type(spmd::broadcast(v, tp, spmd::V, spmd::I, 0), "tp: I");
    spmd::assert_type(spmd::reduce(p, tp, spmd::P, spmd::V, 0), "tp: V");
    spmd::assert_type(spmd::keep(i, tp, spmd::I, spmd::V, 0), "tp: V");
    spmd::assert_type(spmd::all_reduce_max(v, tp, spmd::V, spmd::R), "tp: R");
    spmd::assert_type(spmd::all_reduce_min(v, tp, spmd::V, spmd::I), "tp: I");
    spmd::assert_type(spmd::reduce_scatter_mean(p, tp, spmd::P, spmd::S(0)),
                      "tp: S(0)");
    spmd::barrier(tp);
  }

  void wrong([[spmd::type("tp: R")]] const Tensor &r,
             [[spmd::type("tp: P")]] const Tensor &p,
             [[spmd::type("tp: V")]] const Tensor &v) {
    Tensor a = spmd::broadcast(r, tp, spmd::V, spmd::R, 0);
    // CHECK: [[@LINE-1]]:16: error: broadcast on 'tp' takes V, but 'r' is R{{.*}} [spmd-src-type]
    Tensor b = spmd::permute(p, tp, spmd::V, spmd::V, spmd::shift(1));
    // CHECK: [[@LINE-1]]:16: error: permute on 'tp' takes V, but 'p' is P{{.*}} [spmd-src-type]
    Tensor c = spmd::all_reduce_max(p, tp, spmd::V, spmd::R);
    // CHECK: [[@LINE-1]]:16: error: {{.*}} [spmd-src-type]
    Tensor d = spmd::reduce(r, tp, spmd::P, spmd::V, 0);
    // CHECK: [[@LINE-1]]:16: error: reduce on 'tp' takes P, but 'r' is R{{.*}} [spmd-src-type]
    Tensor e = torch::relu(spmd::reduce(p, tp, spmd::P, spmd::V, 0));
    spmd::assert_type(spmd::broadcast(v, tp, spmd::V, spmd::I, 0), "tp: R");
    // CHECK: [[@LINE-1]]:5: error: this value must be R on 'tp', but {{.*}} is I{{.*}} [spmd-contract]
  }

  void outputs([[spmd::type("tp: S(0)")]] const Tensor &part,
               [[spmd::type("-> tp: R")]] Tensor &whole,
               [[spmd::type("tp: V")]] const Tensor &v,
               [[spmd::type("-> tp: V")]] Tensor &next) {
    spmd::all_gather(part, whole, tp, spmd::S(0), spmd::R);
    spmd::permute(v, next, tp, spmd::V, spmd::V, spmd::shift(1));
  }

  void wrongOutput([[spmd::type("tp: S(0)")]] const Tensor &part,
                   [[spmd::type("-> tp: I")]] Tensor &whole) {
    // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: parameter 'whole' on exit must be I on 'tp', but 'whole' is R{{.*}} [spmd-contract]
    spmd::all_gather(part, whole, tp, spmd::S(0), spmd::R);
  }

  void buffers([[spmd::type("tp: V -> tp: I")]] float *weights,
               [[spmd::type("tp: V -> tp: R")]] float *most,
               [[spmd::type("tp: V")]] float *in,
               [[spmd::type("tp: V")]] float *out, int64_t n) {
    spmd::broadcast(spmd::View(weights, {n}), tp, spmd::V, spmd::I, 0);
    spmd::all_reduce_max(spmd::View(most, {n}), tp, spmd::V, spmd::R);
    spmd::permute(spmd::View(in, {n}), spmd::View(out, {n}), tp, spmd::V,
                  spmd::V, spmd::shift(1));
  }
};
