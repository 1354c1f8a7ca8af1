// An axis of size 1 is one in its own mesh only: code on another mesh where it
// has ranks is checked, and what it cuts nothing of stays what it is.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>

namespace [[spmd::mesh("tp=1, dp=2")]] narrow {
[[spmd::axis("tp")]] extern spmd::Axis tp;
at::Tensor silent([[spmd::type("tp: R")]] at::Tensor x) {
  return spmd::all_reduce(x, tp, spmd::P, spmd::R);
}
[[spmd::type("dp: R")]] at::Tensor
keeps([[spmd::type("dp: V")]] at::Tensor x) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'keeps' must be R on 'dp', but this value is V
  return spmd::all_reduce(x, tp, spmd::P, spmd::R);
}
[[spmd::global]] at::Tensor
cutsNothing([[spmd::type("[8@tp, 4@(dp,tp)]")]] at::Tensor x) {
  return x + x;
}
} // namespace narrow

namespace [[spmd::mesh("tp=4, pp=2")]] wide {
[[spmd::axis("tp")]] extern spmd::Axis tp;
at::Tensor doubled([[spmd::type("tp: R")]] at::Tensor x) {
  // CHECK: [[#@LINE+1]]:10: error: all_reduce on 'tp' takes P, but 'x' is R
  return spmd::all_reduce(x, tp, spmd::P, spmd::R);
}
[[spmd::global]] at::Tensor
// CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: axis 'tp' shards two dims, 0 and 1
twice([[spmd::type("[8@tp, 4@tp]")]] at::Tensor x) {
  return x;
}
at::Tensor constant([[spmd::type("tp: P")]] at::Tensor x) {
  // CHECK: [[#@LINE+1]]:10: error: the constant 'torch::tensor(0.5)' is added to 'x', which is P on 'tp'
  return x + torch::tensor(0.5);
}
} // namespace wide
