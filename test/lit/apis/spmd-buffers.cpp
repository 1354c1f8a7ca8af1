// The library's operators on raw buffers: what a view shows is the buffer's, and
// what is done through it is done to the buffer.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/spmd.h>
using spmd::View;

namespace [[spmd::mesh("dp=2, tp=4")]] trainer {

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;
extern spmd::Mesh mesh;

void means([[spmd::type("tp: P -> tp: I")]] float *grad,
           [[spmd::type("tp: P")]] float *in,
           [[spmd::type("tp: V -> tp: R")]] float *out, int64_t n) {
  spmd::all_reduce_mean(View(grad, {n}), tp, spmd::P, spmd::I);
  spmd::all_reduce_mean(View(in, {n}), View(out, {n}), tp, spmd::P, spmd::R);
}

void mean_of_shards([[spmd::type("tp: S(0)")]] float *x, int64_t n) {
  spmd::all_reduce_mean(View(x, {n}), tp, spmd::P, spmd::R);
  // CHECK: [[@LINE-1]]:3: error: all_reduce on 'tp' takes P, but 'x' is S(0){{.*}} [spmd-src-type]
}

void forgotten([[spmd::type("tp: P -> tp: R")]] float *x, int64_t n) {
// CHECK: [[@LINE-1]]:29: error: parameter 'x' on exit must be R on 'tp', but 'x' is I: its gradient is whole on every rank, and would be added up as if it were parts [spmd-contract]
  spmd::all_reduce_mean(View(x, {n}), tp, spmd::P, spmd::I);
}

// A sum that is scaled is that sum; what is scaled by a rank is not the same.
void scales([[spmd::type("tp: P -> tp: R")]] float *sum,
            [[spmd::type("tp: R -> tp: R")]] float *x, int64_t n) {
  spmd::scale(View(sum, {n}), tp, 1.0 / tp.size());
  spmd::all_reduce(View(sum, {n}), tp, spmd::P, spmd::R);
  spmd::scale(View(sum, {n}), tp, 0.5);
  spmd::scale(View(x, {n}), tp, tp.rank());
  spmd::all_gather(View(x, {n}), View(sum, {n}), tp, spmd::V, spmd::R);
  spmd::all_reduce(View(x, {n}), tp, spmd::V, spmd::R);
}

void scaled_by_rank([[spmd::type("tp: P")]] float *sum, int64_t n) {
  spmd::scale(View(sum, {n}), tp, tp.rank());
  // CHECK: [[@LINE-1]]:3: error: {{.*}}'scale'{{.*}} [spmd-partial-product]
}

void strided([[spmd::type("tp: P -> tp: R")]] float *x, int64_t n) {
  View flipped = View(x, {n, n}).transposed(0, 1);
  spmd::all_reduce(flipped, tp, spmd::P, spmd::R);
}

// One part is not all of it.
void parts([[spmd::type("tp: P -> tp: R")]] float *x, int64_t n) {
  View whole(x, {n});
  spmd::all_reduce(whole.slice(0, 0, n / 2), tp, spmd::P, spmd::R);
  spmd::all_reduce(whole.slice(0, n / 2, n), tp, spmd::P, spmd::R);
}

void part_of_rank([[spmd::type("tp: R")]] const float *x,
                  [[spmd::type("tp: R")]] float *out, int64_t n) {
  View mine = View(const_cast<float *>(x), {n}).slice(0, tp.rank() * 4, 4);
  spmd::assert_type(mine, "tp: R");
  // CHECK: [[@LINE-1]]:3: error: this value must be R on 'tp', but 'mine' is V{{.*}} [spmd-contract]
}

void sum_of_sums([[spmd::type("tp: R")]] float *x, int64_t n) {
  spmd::all_reduce(View(x, {n, n}).transposed(0, 1), tp, spmd::P, spmd::R);
  // CHECK: [[@LINE-1]]:3: error: all_reduce on 'tp' takes P, but {{.*}} is R{{.*}} [spmd-src-type]
}

// Two types of one buffer.
void retyped([[spmd::type("dp: V -> dp: R")]] float *x,
             [[spmd::type("dp: I")]] float *weight, int64_t n) {
  View sum = spmd::reinterpret(View(x, {n}), dp, spmd::V, spmd::P);
  spmd::all_reduce(sum, dp, spmd::P, spmd::R);
  View used = spmd::invariant_to_replicate(View(weight, {n}), dp);
  spmd::assert_type(used, "dp: R");
  spmd::assert_type(weight, "dp: I");
}

void converts([[spmd::type("dp: R -> dp: P")]] float *x,
              [[spmd::type("dp: R")]] float *whole,
              [[spmd::type("dp: V -> dp: S(0)")]] float *part, int64_t n) {
  spmd::convert(View(x, {n}), dp, spmd::R, spmd::P);
  spmd::convert(View(whole, {n}), View(part, {n / 2}), dp, spmd::R, spmd::S(0));
}

// A spec that is put together says nothing here.
void built([[spmd::type("tp: P")]] float *x,
           [[spmd::type("tp: V -> tp: R")]] float *out, int64_t n) {
  const spmd::Spec from = spmd::Spec().dim().on("tp", spmd::P);
  spmd::redistribute(View(x, {n}), View(out, {n}), mesh, from,
                     spmd::Spec().dim().on("tp", spmd::R));
}

// Ranks of the whole program differ along all axes.
void ranks([[spmd::type("tp: R, dp: V")]] float *x) {
  x[0] = tp.globalRank();
  // CHECK: [[@LINE-1]]:3: error: the value of 'x' must be R on 'tp', but 'tp.globalRank()' is V{{.*}} [spmd-contract]
}
void first([[spmd::type("tp: R, dp: V")]] float *x) { x[0] = tp.firstRank(); }

} // namespace trainer
