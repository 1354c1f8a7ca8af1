// A repair that does not parse, here of a name that another one hides, holds back none of the others.
// RUN: cp %s %t.cpp
// RUN: not %spmd-tidy --fix %t.cpp -- %stubs > %t.log 2>&1
// RUN: FileCheck %s --check-prefix=SAID < %t.log
// RUN: FileCheck %s < %t.cpp
// SAID: .cpp: a repair was not made: it does not parse
// SAID: applied 2 fixes in 1 file

#include <spmd/torch.h>
#include <torch/torch.h>

// CHECK: at::Tensor first(
// CHECK: return torch::matmul(spmd::invariant_to_replicate(x, tp), w);
at::Tensor first([[spmd::axis("tp")]] spmd::Axis tp, [[spmd::type("tp: I")]] at::Tensor x,
                 [[spmd::type("tp: R")]] at::Tensor w) {
  return torch::matmul(x, w);
}

// CHECK: at::Tensor hidden(
// CHECK: y = torch::matmul(x, w);
at::Tensor hidden([[spmd::axis("tp")]] spmd::Axis tp, [[spmd::type("tp: I")]] at::Tensor x,
                  [[spmd::type("tp: R")]] at::Tensor w) {
  at::Tensor y;
  {
    const int tp = 0;
    (void)tp;
    y = torch::matmul(x, w);
  }
  return y;
}

// CHECK: at::Tensor last(
// CHECK: return torch::matmul(spmd::invariant_to_replicate(x, tp), w);
at::Tensor last([[spmd::axis("tp")]] spmd::Axis tp, [[spmd::type("tp: I")]] at::Tensor x,
                [[spmd::type("tp: R")]] at::Tensor w) {
  return torch::matmul(x, w);
}
