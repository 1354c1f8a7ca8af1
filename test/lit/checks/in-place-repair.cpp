// An op in place writes to its operand: repairs change the other one, since
// what is written to a converted copy would be lost.
// RUN: not %spmd-tidy %s --format=json --config='Mesh: {dp: 2}' -- %stubs 2>/dev/null | FileCheck %s
// RUN: cp %s %t.cpp
// RUN: %spmd-tidy --fix %t.cpp -- %stubs 2>/dev/null
// RUN: FileCheck --check-prefix=FIXED %s < %t.cpp

#include <spmd/torch.h>
#include <torch/torch.h>

void step([[spmd::axis("dp")]] spmd::Axis dp,
          [[spmd::type("dp: R")]] at::Tensor p,
          [[spmd::type("dp: P")]] const at::Tensor &g) {
  // CHECK: "check": "spmd-partial-add"
  // CHECK-NOT: convert
  // FIXED: p.sub_(spmd::all_reduce(0.1 * g, dp, spmd::P, spmd::R));
  p.sub_(0.1 * g);
}
