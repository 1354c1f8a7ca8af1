// Repairs are priced with the links of the mesh: what moves, moves over the fast ones.
// RUN: not %spmd-tidy --config='Mesh: {dp: {size: 4, bandwidth: 25GB/s}, tp: {size: 4, bandwidth: 300GB/s}}' %s -- %stubs 2>&1 | FileCheck %s --check-prefix=SLOW-DP
// RUN: not %spmd-tidy --config='Mesh: {dp: {size: 4, bandwidth: 300GB/s}, tp: {size: 4, bandwidth: 25GB/s}}' %s -- %stubs 2>&1 | FileCheck %s --check-prefix=SLOW-TP
// Also where there are more ranks than a plan can look at.
// RUN: not %spmd-tidy --config='Mesh: {dp: {size: 512, bandwidth: 25GB/s}, tp: {size: 8, bandwidth: 300GB/s}}' %s -- %stubs 2>&1 | FileCheck %s --check-prefix=SLOW-DP
// RUN: not %spmd-tidy --config='Mesh: {dp: {size: 8, bandwidth: 300GB/s}, tp: {size: 512, bandwidth: 25GB/s}}' %s -- %stubs 2>&1 | FileCheck %s --check-prefix=SLOW-TP

#include <spmd/torch.h>
#include <torch/torch.h>

[[spmd::axis("dp")]] extern spmd::Axis dp;
[[spmd::axis("tp")]] extern spmd::Axis tp;

[[spmd::global]] at::Tensor
add([[spmd::type("f32[16384@dp, 4096]{tp: R}")]] at::Tensor a,
    [[spmd::type("f32[16384@tp, 4096]{dp: R}")]] at::Tensor b) {
  return at::add(a, b);
}

// SLOW-DP: error: {{.*}}[spmd-shard-propagation]
// SLOW-DP: note: fix: take 'b' through
// SLOW-TP: error: {{.*}}[spmd-shard-propagation]
// SLOW-TP: note: fix: take 'a' through
