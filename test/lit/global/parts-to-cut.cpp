// What has all of a dim that is sharded elsewhere is cut.
//
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

[[spmd::axis("sp")]] extern spmd::Axis sp;

[[spmd::global]] Tensor whole([[spmd::type("[2, 64@sp, 64]")]] Tensor a,
                              [[spmd::type("[64, 64]{sp: R}")]] Tensor mask) {
  // CHECK: [[#@LINE+2]]:10: error: 'j' is sharded on 'sp' in 'a', but not in 'mask': 'add' would combine different parts of it [spmd-shard-propagation]
  // CHECK: fix: take 'mask' through convert from R to S(0) on 'sp'
  return a + mask;
}
