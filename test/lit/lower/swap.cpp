// Two names that are swapped.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/torch.h>
#include <utility>
#include <vector>
using at::Tensor;

Tensor first([[spmd::type("tp: P")]] Tensor a, [[spmd::type("tp: R")]] Tensor b) {
  std::swap(a, b);
  return a.relu();
}
Tensor second([[spmd::type("tp: P")]] Tensor a, [[spmd::type("tp: R")]] Tensor b) {
  std::swap(a, b);
  // CHECK: [[#@LINE+1]]:10: error: 'b' is P on 'tp' and enters the non-linear 'relu'
  return b.relu();
}
void lists([[spmd::type("tp: P")]] std::vector<Tensor> a,
           [[spmd::type("tp: R")]] std::vector<Tensor> b) {
  a.swap(b);
  a[0].relu();
  // CHECK: [[#@LINE+1]]:3: error: 'b[0]' is P on 'tp' and enters the non-linear 'relu'
  b[0].relu();
}
float buffers([[spmd::type("tp: P")]] float *a, [[spmd::type("tp: R")]] float *b) {
  using std::swap;
  swap(a, b);
  a[0] = a[0] * a[0];
  return a[0];
}
