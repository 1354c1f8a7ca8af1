// --strict also says what may be wrong: on some paths, or because nothing is
// known of a tensor that meets an annotated one.
// RUN: %spmd-tidy %s -- %stubs | count 0
// RUN: not %spmd-tidy --strict %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

Tensor unannotated([[spmd::type("tp: I")]] const Tensor &x, const Tensor &w,
                   int n) {
  return at::matmul(x / n, w);
  // CHECK: [[@LINE-1]]:10: warning: 'w' has no known type, and only I is legal in 'matmul' on 'tp': annotate it [spmd-invariant-mix]
}

Tensor paths([[spmd::type("tp: P")]] const Tensor &p, bool reduce,
             [[spmd::axis("tp")]] const spmd::Axis &tp) {
  Tensor y = p;
  if (reduce)
    y = spmd::all_reduce(p, tp, spmd::P, spmd::R);
  return y.relu();
  // CHECK: [[@LINE-1]]:10: warning: 'y' may be R|P, but only R is legal in 'relu' on 'tp': some path is wrong, or cannot be told from a wrong one [spmd-partial-nonlinear]
}

Tensor right([[spmd::type("tp: R")]] const Tensor &x) {
  return (x * 2 + at::ones({3})).relu();
}
