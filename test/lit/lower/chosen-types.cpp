// A condition that chooses between values of several types, with no collective
// in sight: what is wrong on one way is said with that way.
//
// RUN: not %spmd-tidy --no-cache %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <spmd/torch.h>
#include <torch/torch.h>

using at::Tensor;

struct Chooses {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: P")]] Tensor p;
  [[spmd::type("tp: I")]] Tensor i;
  [[spmd::type("tp: R")]] Tensor r;
  [[spmd::type("tp: V")]] Tensor v;

  [[spmd::type("tp: I")]] Tensor overwritten_bad(bool c) {
    Tensor x = i;
    if (c)
      x = p;
    // CHECK: [[#@LINE+2]]:5: error: the value returned from 'Chooses::overwritten_bad' must be I on 'tp', but 'x' is P
    // CHECK: [[#@LINE-3]]:9: note: on the way where 'c' is true
    return x;
  }
  Tensor nonlinear_bad(bool c) {
    Tensor x = c ? i : p;
    // CHECK: [[#@LINE+2]]:12: error: 'x' is P on 'tp' and enters the non-linear 'relu'
    // CHECK: note: on the way where 'c' is false
    return at::relu(x);
  }
  [[spmd::type("tp: R")]] Tensor added_bad(bool c) {
    Tensor x = r;
    if (c)
      x = x + v;
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Chooses::added_bad' must be R on 'tp', but 'x' is V
    return x;
  }
  // The same condition decides twice.
  [[spmd::type("tp: I")]] Tensor mended_ok(bool c) {
    Tensor x = i;
    if (c)
      x = p;
    if (c)
      x = spmd::all_reduce(x, tp, spmd::P, spmd::I);
    return x;
  }
  // Another one may follow from the first.
  [[spmd::type("tp: I")]] Tensor another_ok(bool c, bool d) {
    Tensor x = i;
    if (c)
      x = p;
    if (d)
      return i;
    return i + 0 * i;
  }
  // Both ways are right, each for itself.
  Tensor either_ok(bool c) {
    Tensor x = c ? i : r;
    return at::relu(x);
  }
  [[spmd::type("tp: R")]] Tensor one_rank_ok(int world_size) {
    Tensor x = v;
    if (world_size > 1)
      x = spmd::all_gather(v, tp, spmd::V, spmd::R);
    return world_size > 1 ? x : r;
  }
};
