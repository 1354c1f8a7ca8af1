// What is said of code on one mesh is the same whatever other meshes a file has.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s
// RUN: not %spmd-tidy %s -- %stubs -DALONE 2>&1 | FileCheck %s

#include <spmd/torch.h>
#include <torch/torch.h>

namespace [[spmd::mesh("dp=2, tp=4")]] trainer {

// CHECK: :[[#@LINE+4]]:10: error: 'softmax' needs 'j' whole, but 'tp' shards it in 'y'
// CHECK: note: 'y' is [8@dp, 32@tp]: result of this 'reshape'
[[spmd::global]] at::Tensor literal([[spmd::type("[8@dp, 8@tp, 4]")]] at::Tensor x) {
  auto y = x.reshape({4, 8});
  return at::softmax(y, 1);
}

// CHECK: :[[#@LINE+3]]:10: error: 'softmax' needs 'j' whole, but 'tp' shards it in 'y'
[[spmd::global]] at::Tensor counted([[spmd::type("[8@dp, 8@tp, 4]")]] at::Tensor x) {
  auto y = x.reshape({x.size(0), -1});
  return at::softmax(y, 1);
}

} // namespace trainer

#ifndef ALONE
namespace [[spmd::mesh("ep=2, pp=4")]] experts {

// Another mesh may have the axis of a communicator that a function is given: then it may shard.
[[spmd::global]] at::Tensor kept([[spmd::type("[8@ep, 8]")]] at::Tensor x) { return at::softmax(x, 1); }

} // namespace experts
#endif
