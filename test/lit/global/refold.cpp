// The axes of a refolded mesh are groups of those of the mesh in force.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s --implicit-check-not="error:"

#include <spmd/torch.h>
#include <torch/torch.h>

namespace [[spmd::mesh("pp=2, dp=4, tp=4")]] trainer {
extern spmd::Mesh mesh;

[[spmd::type("dp: R, tp: R, pp: V")]] at::Tensor
whole([[spmd::type("dp: P, tp: P, pp: V")]] at::Tensor x) {
  const spmd::Mesh flat = mesh.refold({"dp", "tp"}, {{"world", 16}});
  return spmd::all_reduce(x, flat.axis("world"), spmd::P, spmd::R);
}

// ep is no whole axis here: of the result nothing is known.
[[spmd::type("dp: R, tp: R")]] at::Tensor
part([[spmd::type("dp: V, tp: P")]] at::Tensor x) {
  const spmd::Mesh experts = mesh.refold({"dp", "tp"}, {{"edp", 2}, {"ep", 8}});
  return spmd::all_reduce(x, experts.axis("ep"), spmd::V, spmd::R);
}

[[spmd::type("tp: V")]] at::Tensor
wrong([[spmd::type("dp: P, tp: P")]] at::Tensor x) {
  const spmd::Mesh flat = mesh.refold({"dp", "tp"}, {{"world", 16}});
  at::Tensor y = spmd::all_reduce(x, flat.axis("world"), spmd::P, spmd::R);
  // CHECK: refold.cpp:[[#@LINE+1]]:3: error: the value returned from 'wrong' must be V on 'tp', but 'y' is R: all ranks hold the same, which is taken for each one's own [spmd-contract]
  return y;
}

[[spmd::global]] [[spmd::type("f32[64, 8@(dp,tp)]{pp: R}")]] at::Tensor
moved([[spmd::type("f32[64@(dp,tp), 8]{pp: R}")]] at::Tensor x) {
  return spmd::redistribute(x, mesh.refold({"dp", "tp"}, {{"edp", 2}, {"ep", 8}}), "[64@(edp,ep), 8]", "[64, 8@(edp,ep)]");
}
[[spmd::global]] at::Tensor
order([[spmd::type("f32[64@(tp,dp), 8]{pp: R}")]] at::Tensor x) {
  const spmd::Mesh flat = mesh.refold({"dp", "tp"}, {{"world", 16}});
  // CHECK: refold.cpp:[[#@LINE+1]]:10: error: this value must be [64@(dp,tp), 8], but 'x' is [64@(tp,dp), 8]: each rank's part is taken for another one [spmd-contract]
  return spmd::redistribute(x, flat, "[64@world, 8]", "[64, 8]{world: R}");
}
} // namespace trainer
