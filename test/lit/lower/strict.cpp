// --strict also says what may be wrong: on some paths, or because nothing is
// known of a tensor that meets an annotated one.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --check-prefix=SURE \
// RUN:   --implicit-check-not=warning: --implicit-check-not=error:
// RUN: not %spmd-tidy --strict %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=warning: --implicit-check-not=error:

#include <cmath>
#include <limits>
#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

Tensor unannotated([[spmd::type("tp: I")]] const Tensor &x, const Tensor &w,
                   int n) {
  return at::matmul(x / n, w);
  // CHECK: [[@LINE-1]]:10: warning: 'w' has no known type, and only I is legal in 'matmul' on 'tp': annotate it [spmd-invariant-mix]
}

Tensor paths([[spmd::type("tp: P")]] const Tensor &p, const Tensor &other,
             [[spmd::axis("tp")]] const spmd::Axis &tp) {
  Tensor y = p;
  if (other.defined())
    y = spmd::all_reduce(p, tp, spmd::P, spmd::R);
  return y.relu();
  // CHECK: [[@LINE-1]]:10: warning: 'y' may be R or P, but only R is legal in 'relu' on 'tp': some path is wrong, or cannot be told from a wrong one [spmd-partial-nonlinear]
}

// What one number decides is told on the way where it is wrong.
Tensor way([[spmd::type("tp: P")]] const Tensor &p, bool reduce,
           [[spmd::axis("tp")]] const spmd::Axis &tp) {
  Tensor y = p;
  if (reduce)
    y = spmd::all_reduce(p, tp, spmd::P, spmd::R);
  return y.relu();
  // CHECK: [[@LINE-1]]:10: error: 'y' is P on 'tp' and enters the non-linear 'relu'{{.*}} [spmd-partial-nonlinear]
  // SURE: [[@LINE-2]]:10: error: 'y' is P on 'tp' and enters the non-linear 'relu'{{.*}} [spmd-partial-nonlinear]
}

Tensor right([[spmd::type("tp: R")]] const Tensor &x) {
  return (x * 2 + at::ones({3})).relu();
}

// Nothing is said where no typed tensor is met: on axes that this function does
// not name, and in functions that name none.
Tensor nothing([[spmd::type("dp: R")]] const Tensor &x) { return x.relu(); }
Tensor unnamed(const Tensor &x, const Tensor &y) {
  return at::matmul(x.relu(), y) + at::exp(y);
}

// What the compiler evaluates is a constant.
constexpr float scaled(int n) { return 1.0f / n; }
Tensor constants([[spmd::type("tp: R")]] const Tensor &x) {
  const float lowest = -std::numeric_limits<float>::infinity();
  return x + at::full({3}, -INFINITY) + at::full({3}, lowest) * scaled(4);
}
