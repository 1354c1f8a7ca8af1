// What a collective sums is a pending sum where it is made: out_partial is
// said there, and what is added besides is reported.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s
// RUN: cp %s %t.cpp
// RUN: not %spmd-tidy --fix %t.cpp -- %stubs 2>/dev/null
// RUN: FileCheck --check-prefix=FIXED %s < %t.cpp

#include <spmd/torch.h>
#include <torch/torch.h>

struct Mlp {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: S(1)")]] at::Tensor up;
  [[spmd::type("tp: S(0)")]] at::Tensor down;
  [[spmd::type("tp: I")]] at::Tensor bias;
  [[spmd::type("tp: R")]] at::Tensor other;

  // FIXED-LABEL: forward(
  at::Tensor forward([[spmd::type("tp: R")]] const at::Tensor &x) const {
    at::Tensor hidden = at::gelu(at::matmul(x, up));
    // CHECK: [[#@LINE+4]]:20: error: 'bias' is I and is added to 'at::matmul(hidden, down)', which is each rank's term of a sum over 'tp', in 'add': the sum would count it once per rank [spmd-partial-add]
    // CHECK: [[#@LINE+4]]:12: note: added up over 'tp' here
    // CHECK: fix: take 'bias' through invariant_to_replicate, then convert from R to P on 'tp', and say that the result of 'matmul' is a pending sum on 'tp'
    // FIXED: at::Tensor y = spmd::out_partial(at::matmul(hidden, down), tp) + spmd::convert(spmd::invariant_to_replicate(bias, tp), tp, spmd::R, spmd::P);
    at::Tensor y = at::matmul(hidden, down) + bias;
    return spmd::all_reduce(y, tp, spmd::P, spmd::I);
  }

  // FIXED-LABEL: bare(
  at::Tensor bare([[spmd::type("tp: V")]] const at::Tensor &x) const {
    // FIXED: at::Tensor y = spmd::out_partial(at::matmul(x, down), tp);
    at::Tensor y = at::matmul(x, down);
    at::Tensor z = -y.view({-1});
    // CHECK: [[#@LINE+3]]:12: error: all_reduce on 'tp' takes P, but 'z' is V
    // CHECK: fix: say that the result of 'matmul' is a pending sum on 'tp', for later code to reduce
    // CHECK-NOT: all_gather
    return spmd::all_reduce(z, tp, spmd::P, spmd::R);
  }

  // FIXED-LABEL: fused(
  at::Tensor fused([[spmd::type("tp: V")]] const at::Tensor &x) const {
    // CHECK: error: 'other' is R and is added to
    // FIXED: at::Tensor y = spmd::out_partial(at::linear(x, down, spmd::convert(other, tp, spmd::R, spmd::P)), tp);
    at::Tensor y = at::linear(x, down, other);
    return spmd::all_reduce(y, tp, spmd::P, spmd::R);
  }

  // Columns are no terms of a sum: nobody knows what is meant.
  // FIXED-LABEL: columns(
  at::Tensor columns([[spmd::type("tp: R")]] const at::Tensor &x) const {
    // CHECK: error: all_reduce on 'tp' takes P, but 'y' is V
    // CHECK-NOT: out_partial
    // CHECK: fix: take 'y' through reinterpret from V to P on 'tp' {{.*}}[unsafe]
    // FIXED: at::Tensor y = at::matmul(x, up);
    // FIXED-NEXT: return spmd::all_reduce(y, tp, spmd::P, spmd::R);
    at::Tensor y = at::matmul(x, up);
    return spmd::all_reduce(y, tp, spmd::P, spmd::R);
  }

  // out_partial around more than the product.
  // FIXED-LABEL: around(
  at::Tensor around([[spmd::type("tp: V")]] const at::Tensor &x) const {
    // CHECK: error: 'other' is R and is added to 'at::matmul(x, down)', which is each rank's term of a sum over 'tp'
    // FIXED: spmd::out_partial(spmd::out_partial(at::matmul(x, down), tp) + spmd::convert(other, tp, spmd::R, spmd::P), tp)
    at::Tensor y = spmd::out_partial(at::matmul(x, down) + other, tp);
    return spmd::all_reduce(y, tp, spmd::P, spmd::R);
  }
};
