// Uneven shards and reshape: where an axis may shard any dim, nobody knows which
// dims of a rank's part go together, and nothing is said.
//
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>

[[spmd::axis("tp")]] extern spmd::Axis tp;
[[spmd::axis("dp")]] extern spmd::Axis dp;

namespace [[spmd::mesh("dp=2, tp=4")]] program {

[[spmd::global, spmd::type("f32[7@tp,4]")]] at::Tensor
kept([[spmd::type("f32[7@tp,4]")]] at::Tensor x) {
  return x.reshape({-1, 4});
}
[[spmd::global, spmd::type("f32[7@tp,4]{dp: R}")]] at::Tensor
keptWhole([[spmd::type("f32[7@tp,4]{dp: R}")]] at::Tensor x) {
  return x.reshape({-1, 4});
}
[[spmd::global]] at::Tensor
split([[spmd::type("f32[7@tp,4]{dp: R}")]] at::Tensor x) {
  // CHECK: [[#@LINE+1]]:10: error: 'reshape' splits or joins 'i', whose shards on 'tp' are uneven: they would not be shards of the result [spmd-shard-propagation]
  return x.reshape({2, 2, -1});
}

} // namespace program
