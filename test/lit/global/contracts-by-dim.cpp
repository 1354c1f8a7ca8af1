// A local type that names the dim of a shard is checked against the layout of
// what an op has made, too.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>

using at::Tensor;
[[spmd::axis("tp")]] extern spmd::Axis tp;
void rows([[spmd::type("tp: S(0)")]] Tensor x);
void columns([[spmd::type("tp: S(1)")]] Tensor x);
void lastDim([[spmd::type("tp: S(-1)")]] Tensor x);
#define BY_ROWS [[spmd::type("[8@tp, 4]")]] Tensor x
#define BY_COLUMNS [[spmd::type("[8, 4@tp]")]] Tensor x

[[spmd::global]] void asserted(BY_ROWS) {
  Tensor y = x.relu();
  // CHECK: [[#@LINE+1]]:3: error: this value must be S(1) on 'tp', but 'y' is S(0): the tensor is cut along another dim [spmd-contract]
  spmd::assert_type(y, "tp: S(1)");
}
[[spmd::global]] void argument(BY_ROWS) {
  Tensor y = x.relu();
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be S(1) on 'tp', but 'y' is S(0)
  columns(y);
}
[[spmd::global]] void turned(BY_ROWS) {
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be S(0) on 'tp', but 'x.t()' is S(1)
  rows(x.t());
}
[[spmd::global]] void last(BY_ROWS) {
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'x' must be S(-1) on 'tp', but 'x.relu()' is S(0)
  lastDim(x.relu());
}
[[spmd::global]] [[spmd::type("tp: S(1)")]] Tensor returned(BY_ROWS) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'returned' must be S(1) on 'tp', but 'x.relu()' is S(0)
  return x.relu();
}

//===--- Right ------------------------------------------------------------===//

[[spmd::global]] void assertedRight(BY_ROWS) {
  Tensor y = x.relu();
  spmd::assert_type(y, "tp: S(0)");
  spmd::assert_type(y, "tp: V");
  spmd::assert_type(y, "tp: S(-2)");
}
[[spmd::global]] void argumentRight(BY_ROWS) { rows(x.relu()); }
[[spmd::global]] void turnedRight(BY_ROWS) { columns(x.t()); }
[[spmd::global]] void lastRight(BY_COLUMNS) {
  lastDim(x.relu());
  columns(x * 2);
}
[[spmd::global]] [[spmd::type("tp: S(1)")]] Tensor returnedRight(BY_ROWS) { return x.t(); }
