// What redistribute says that it is given, and makes.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s --implicit-check-not="error:"

#include <spmd/torch.h>
#include <torch/torch.h>

namespace [[spmd::mesh("dp=2, tp=4")]] trainer {
extern spmd::Mesh mesh;

// In local code, too.
at::Tensor source([[spmd::type("dp: R, tp: R")]] at::Tensor x) {
  // CHECK: redistributed.cpp:[[#@LINE+1]]:10: error: this value must be S(0) on 'tp', but 'x' is R: all ranks hold the same, which is taken for each one's own [spmd-contract]
  return spmd::redistribute(x, mesh, "[64@tp, 8]", "[64, 8]{tp: R}");
}

// An axis that neither names is left alone.
[[spmd::type("dp: R, tp: S(1)")]] at::Tensor
others([[spmd::type("dp: R, tp: S(0)")]] at::Tensor x) {
  return spmd::redistribute(x, mesh, "[64@tp, 8]", "[64, 8@tp]");
}
[[spmd::type("dp: V, tp: R")]] at::Tensor
kept([[spmd::type("dp: R, tp: S(0)")]] at::Tensor x) {
  // CHECK: redistributed.cpp:[[#@LINE+1]]:3: error: the value returned from 'kept' must be V on 'dp', but {{.*}} is R
  return spmd::redistribute(x, mesh, "[64@tp, 8]", "[64, 8]{tp: R}");
}

// Specs that are put together of literals are read.
[[spmd::global]] [[spmd::type("f32[64, 8@(dp,tp)]")]] at::Tensor
made([[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor x) {
  const auto from = spmd::Spec().dim(64, {"dp", "tp"}).dim(8);
  return spmd::redistribute(x, mesh, from, spmd::Spec().dim(64).dim(8, {"dp", "tp"}));
}
[[spmd::global]] at::Tensor
made_wrong([[spmd::type("f32[64@(tp,dp), 8]")]] at::Tensor x) {
  constexpr const char *to = "[64, 8]{dp: R, tp: R}";
  // CHECK: redistributed.cpp:[[#@LINE+1]]:10: error: this value must be [64@(dp,tp), 8], but 'x' is [64@(tp,dp), 8]
  return spmd::redistribute(x, mesh, spmd::Spec().dim(64, {"dp", "tp"}).dim(8), to);
}
[[spmd::type("dp: S(0), tp: P")]] at::Tensor
gradient([[spmd::type("dp: S(0), tp: P")]] at::Tensor g) {
  at::Tensor y = spmd::redistribute(g, mesh, spmd::dual("[_@dp, 8]{tp: R}"), spmd::dual(spmd::Spec().dim({"dp"}).dim(8).on("tp", spmd::P)));
  // CHECK: redistributed.cpp:[[#@LINE+1]]:3: error: the value returned from 'gradient' must be P on 'tp', but 'y' is R
  return y;
}

// Others are unknown.
[[spmd::type("dp: R, tp: R")]] at::Tensor
unknown([[spmd::type("dp: R, tp: P")]] at::Tensor x, const spmd::Spec &from, std::int64_t n) {
  at::Tensor y = spmd::redistribute(x, mesh, from, spmd::Spec().dim(n, {"tp"}));
  spmd::Spec to = spmd::Spec().dim(64, {"dp"});
  to.dim(8);
  return y + spmd::redistribute(x, mesh, "[64, 8]{dp: R, tp: P}", to);
}
} // namespace trainer
