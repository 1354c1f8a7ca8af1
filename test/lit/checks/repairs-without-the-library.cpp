// Where a program does not use the library, what moves no data is said of the
// variable, and nothing has to be linked.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s
// RUN: cp %s %t.cpp
// RUN: not %spmd-tidy --fix %t.cpp -- %stubs 2>/dev/null
// RUN: FileCheck --check-prefix=FIXED --implicit-check-not='{{^#include <spmd}}' %s < %t.cpp
// RUN: not %spmd-tidy %t.cpp -- %stubs 2>&1 \
// RUN:   | FileCheck --check-prefix=AGAIN --implicit-check-not="'loss'" %s
// AGAIN: error: the value returned from 'terms'

#include <torch/torch.h>

using at::Tensor;

// FIXED-LABEL: double step(
double step([[spmd::type("dp: V")]] Tensor each, bool log) {
  // CHECK: [[#@LINE+4]]:3: error: backward on a loss that must be P or I on 'dp', but 'loss' is V
  // CHECK: [[#@LINE+2]]:3: note: fix: declare 'loss' as {{\[\[}}spmd::type("dp: V -> dp: P")]] (no communication; backward: no communication){{$}}
  // FIXED: {{^}}  {{\[\[}}spmd::type("dp: V -> dp: P")]] auto loss = each.mean();
  auto loss = each.mean();
  loss.backward();
  return log ? loss.item<double>() : 0;
}

// FIXED-LABEL: Tensor terms(
[[spmd::type("dp: P")]] Tensor terms([[spmd::type("dp: V")]] Tensor x) {
  // CHECK: [[#@LINE+1]]:3: note: fix: declare 'y' as {{\[\[}}spmd::type("dp: V -> dp: P")]] (no communication; backward: no communication) [unsafe]
  Tensor y = x * 2;
  return y;
}

// Other uses take the variable for what it was: it stays so.
// FIXED-LABEL: Tensor both(
[[spmd::type("dp: P")]] Tensor both([[spmd::type("dp: V")]] Tensor x,
                                    [[spmd::type("dp: V")]] Tensor &shard) {
  // CHECK: [[#@LINE+5]]:3: error: the value returned from 'both' must be P on 'dp', but 'y' is V
  // CHECK: note: fix: take 'y' through reinterpret from V to P on 'dp'
  // FIXED: {{^}}  Tensor y = x * 2;
  Tensor y = x * 2;
  shard = y;
  return y;
}

// A parameter has no place of its own where it is made.
// FIXED-LABEL: Tensor direct(
[[spmd::type("dp: P")]] Tensor direct([[spmd::type("dp: V")]] Tensor x) {
  // CHECK: note: fix: take 'x' through reinterpret from V to P on 'dp'
  return x;
}
