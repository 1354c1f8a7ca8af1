// --autoshard leaves a file alone in which there would be as much to find.
// RUN: cp %s %t.cpp
// RUN: not %spmd-tidy --autoshard %t.cpp -- -std=c++20 %stubs 2>&1 | FileCheck %s
// RUN: diff %s %t.cpp

#include <spmd/torch.h>
#include <torch/torch.h>

[[spmd::axis("dp")]] extern spmd::Axis dp;

// CHECK: useless.cpp.tmp.cpp: not changed: after the repairs there is as much to find
// CHECK-NOT: applied
// CHECK: error: 'b' is sharded on 'dp' in 'x', but not in 'y'
[[spmd::global]] at::Tensor
f([[spmd::type("[B@dp, S]")]] at::Tensor x, [[spmd::type("[B, S]{dp: R}")]] at::Tensor y) {
  return torch::softmax(x + y, 7);
}
