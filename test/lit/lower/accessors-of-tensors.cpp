// Numbers that are read from a tensor, through an accessor or as a Scalar, and
// that an accessor writes.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/torch.h>

[[spmd::type("dp: R")]] double byAccessor([[spmd::type("dp: V")]] at::Tensor t) {
  auto a = t.accessor<double, 2>();
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'byAccessor' must be R on 'dp', but 'a[0][1]' is V: the ranks hold different values, which are taken for one [spmd-contract]
  return a[0][1];
}
[[spmd::type("dp: R")]] double byScalar([[spmd::type("dp: V")]] at::Tensor t) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'byScalar' must be R on 'dp', but 't.item().toDouble()' is V: the ranks hold different values, which are taken for one [spmd-contract]
  return t.item().toDouble();
}
[[spmd::type("dp: R")]] double ofAll([[spmd::type("dp: R")]] at::Tensor t) {
  auto a = t.accessor<double, 2>();
  double s = 0;
  for (int i = 0; i < a.size(0); ++i)
    s += a[i][0];
  return s + t.item().toDouble();
}
// CHECK: [[#@LINE+1]]:65: error: parameter 'w' on exit must be R on 'dp', but 'w' is V: the ranks hold different values, which are taken for one [spmd-contract]
void written([[spmd::type("dp: V")]] at::Tensor x, [[spmd::type("dp: R")]] at::Tensor &w) {
  auto from = x.accessor<float, 1>();
  auto to = w.accessor<float, 1>();
  for (int i = 0; i < to.size(0); ++i)
    to[i] = from[i];
}
