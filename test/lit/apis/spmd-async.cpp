// Operators that are started are typed as those that wait: what the wait
// returns, or the buffer, has the type of the result.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

struct Axes {
  [[spmd::axis("tp")]] spmd::Axis tp;

  void right([[spmd::type("tp: S(0)")]] const Tensor &s,
             [[spmd::type("tp: P")]] const Tensor &p) {
    spmd::TensorWork sum = spmd::all_reduce_async(p, tp, spmd::P, spmd::R);
    auto all = all_gather_async(s, tp, spmd::S(0), spmd::I);
    while (!sum.done()) {
    }
    spmd::assert_type(sum.wait(), "tp: R");
    Tensor gathered = all.wait();
    spmd::assert_type(gathered, "tp: I");
    spmd::assert_type(
        spmd::redistribute_async(p, tp, spmd::P, spmd::S(1)).wait(), "tp: S(1)");
    spmd::assert_type(
        spmd::all_reduce_mean_async(p, tp, spmd::P, spmd::I).wait(), "tp: I");
    spmd::TensorWork moved = std::move(sum);
    Tensor relu = torch::relu(moved.wait());
  }

  void wrong([[spmd::type("tp: R")]] const Tensor &r,
             [[spmd::type("tp: P")]] const Tensor &p) {
    auto again = all_reduce_async(r, tp, spmd::P, spmd::R);
    // CHECK: [[@LINE-1]]:18: error: all_reduce on 'tp' takes P, but 'r' is R{{.*}} [spmd-src-type]
    Tensor sum = again.wait();
    auto part = reduce_scatter_async(p, tp, spmd::P, spmd::S(0));
    spmd::assert_type(part.wait(), "tp: R");
    // CHECK: [[@LINE-1]]:5: error: this value must be R on 'tp', but {{.*}} is S(0){{.*}} [spmd-contract]
  }

  void buffers([[spmd::type("tp: P -> tp: I")]] float *grad,
               [[spmd::type("tp: P -> tp: I")]] float *norm, int64_t n) {
    spmd::Work sum =
        spmd::all_reduce_async(spmd::View(grad, {n}), tp, spmd::P, spmd::I);
    spmd::all_reduce(spmd::View(norm, {n}), tp, spmd::P, spmd::I);
    sum.wait();
  }

  void mean([[spmd::type("tp: P -> tp: I")]] float *grad,
            [[spmd::type("tp: P")]] float *in,
            [[spmd::type("tp: V -> tp: R")]] float *out, int64_t n) {
    spmd::Work here = spmd::all_reduce_mean_async(spmd::View(grad, {n}), tp,
                                                  spmd::P, spmd::I);
    here.wait();
    spmd::all_reduce_mean_async(spmd::View(in, {n}), spmd::View(out, {n}), tp,
                                spmd::P, spmd::R)
        .wait();
    spmd::all_reduce_mean_async(spmd::View(grad, {n}), tp, spmd::P, spmd::I)
        .wait();
    // CHECK: [[@LINE-2]]:5: error: all_reduce on 'tp' takes P, but {{.*}} is I: the mean of equal values is each of them{{.*}} [spmd-src-type]
  }

  void twice([[spmd::type("tp: P -> tp: R")]] float *grad, float *part,
             int64_t n) {
    spmd::all_reduce_async(spmd::View(grad, {n}), tp, spmd::P, spmd::R).wait();
    spmd::Work mine = spmd::reduce_scatter_async(
        spmd::View(grad, {n}), spmd::View(part, {n / 2}), tp, spmd::P,
        spmd::S(0));
    // CHECK: [[@LINE-3]]:23: error: reduce_scatter on 'tp' takes P, but {{.*}} is R{{.*}} [spmd-src-type]
    mine.wait();
  }
};

namespace [[spmd::mesh("tp=4")]] planned {
[[spmd::axis("tp")]] extern spmd::Axis tp;
extern spmd::Mesh mesh;

[[spmd::global]] void plans([[spmd::type("[8]{tp: P}")]] const Tensor &p) {
  spmd::TensorWork sum =
      spmd::redistribute_async(p, mesh, "[8]{tp: P}", "[8]{tp: R}");
  spmd::assert_type(sum.wait(), "[8]{tp: R}");
  spmd::redistribute_async(p, mesh, "[8@tp]", "[8]{tp: R}").wait();
  // CHECK: [[@LINE-1]]:3: error: this value must be S(0) on 'tp', but 'p' is P{{.*}} [spmd-contract]
}

[[spmd::global]] void buffers([[spmd::type("[8]{tp: P}")]] float *in,
                              [[spmd::type("[8]{tp: V} -> [8]{tp: R}")]] float *out) {
  spmd::Work all =
      spmd::redistribute_async(spmd::View(in, {8}), spmd::View(out, {8}), mesh,
                               "[8]{tp: P}", "[8]{tp: R}");
  all.wait();
  spmd::all_reduce(spmd::View(out, {8}), tp, spmd::P, spmd::R);
  // CHECK: [[@LINE-1]]:3: error: all_reduce on 'tp' takes P, but 'out' is R{{.*}} [spmd-src-type]
}

// Local code believes it.
void local([[spmd::type("tp: P")]] float *in,
           [[spmd::type("tp: V -> tp: R")]] float *out) {
  spmd::redistribute_async(spmd::View(in, {8}), spmd::View(out, {8}), mesh,
                           "[8]{tp: P}", "[8]{tp: R}")
      .wait();
}
} // namespace planned
