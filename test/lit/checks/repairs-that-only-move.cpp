// What leaves something else wrong behind it is offered, and not made.
// RUN: cp %s %t.cpp
// RUN: not %spmd-tidy --fix %t.cpp -- %stubs %runtime-include 2>&1 | FileCheck %s
// RUN: diff %s %t.cpp
#include <spmd/torch.h>
#include <torch/torch.h>

// CHECK: error: 'spmd::out_partial(at::matmul(x, w), tp)' is P on 'tp' and enters the non-linear 'silu'
// CHECK: note: fix: take {{.*}} through all_reduce from P to R on 'tp' {{.*}}[unsafe]
at::Tensor summedBehind([[spmd::axis("tp")]] spmd::Axis tp, [[spmd::type("tp: V")]] at::Tensor x, [[spmd::type("tp: V")]] at::Tensor w) {
  auto y = at::silu(spmd::out_partial(at::matmul(x, w), tp));
  return spmd::reduce_scatter(y, tp, spmd::P, spmd::S(0));
}
