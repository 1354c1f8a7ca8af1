// What meets another unknown value is typed by what each rank has of its own:
// that is tried where one replica alone says nothing.
// RUN: %spmd-tidy --summary=coverage %s -- %stubs 2>/dev/null | FileCheck %s
// CHECK: annotate parameter 'w' of 'gemm' (coverage-advice-of-two.cpp:{{[0-9]+}}): 4 expressions hang on it
// CHECK-NEXT: annotate parameter 'x' of 'gemm' (coverage-advice-of-two.cpp:{{[0-9]+}}): 4 expressions hang on it
#include <torch/torch.h>
using at::Tensor;

Tensor gemm(const Tensor &x, const Tensor &w) {
  Tensor y = at::matmul(x, w).relu();
  return y + y.sum();
}
Tensor known([[spmd::type("dp: R")]] const Tensor &x) { return x * 2; }
