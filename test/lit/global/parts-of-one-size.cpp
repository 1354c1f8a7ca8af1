// A slice that is as long as a shard, and the same on each rank, fits no shards:
// no layout of it does, and the finding says what to decide.
//
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error: --implicit-check-not=fix:

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

[[spmd::axis("sp")]] extern spmd::Axis sp;

[[spmd::global]] Tensor first([[spmd::type("[2, 64@sp, 64]")]] Tensor a,
                              [[spmd::type("[64, 64]{sp: R}")]] Tensor mask) {
  // CHECK: [[#@LINE+1]]:10: error: 'j' is sharded on 'sp' in 'a', but not in 'mask.slice(0, 0, a.size(1))': 'add' would combine different parts of it, and 'mask.slice(0, 0, a.size(1))' is as long as a shard but the same on each rank: take each rank's own part, from its number times that length on [spmd-shard-propagation]
  return a + mask.slice(0, 0, a.size(1));
}
