// Code of several meshes over the same ranks: what is declared on the one is
// checked in its equal form on the other.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s --implicit-check-not="error:" --implicit-check-not="warning:"
// RUN: not %spmd-tidy --strict %s -- %stubs -std=c++20 2>&1 | FileCheck %s --check-prefixes=CHECK,STRICT --implicit-check-not="error:"

#include <spmd/torch.h>
#include <torch/torch.h>

namespace [[spmd::mesh("world=16")]] library {
[[spmd::axis("world")]] extern spmd::Axis world;
void save([[spmd::type("f32[64@world, 8]")]] at::Tensor x);
[[spmd::type("f32[64@world, 8]")]] at::Tensor load();
void sum([[spmd::type("world: P -> world: R")]] at::Tensor &x);
[[spmd::global]] at::Tensor reduced(at::Tensor x) {
  return spmd::all_reduce(x, world, spmd::P, spmd::R);
}
struct Cache {
  [[spmd::type("f32[64@world, 8]")]] at::Tensor rows;
  [[spmd::axis("world")]] spmd::Axis group;
};
using Rows [[spmd::type("f32[64@world, 8]")]] = at::Tensor;
} // namespace library

namespace [[spmd::mesh("edp=2, ep=8")]] experts {
[[spmd::axis("ep")]] extern spmd::Axis ep;
[[spmd::global]] [[spmd::type("f32[64@(edp,ep), 8]")]] at::Tensor
run([[spmd::type("f32[64@(edp,ep), 8]")]] at::Tensor x) {
  return torch::relu(x);
}
void some([[spmd::type("f32[64@ep, 8]{edp: R}")]] at::Tensor x);
void weights([[spmd::type("ep: R")]] at::Tensor x);
} // namespace experts

namespace [[spmd::mesh("dp=4, tp=4")]] attention {
[[spmd::axis("dp")]] extern spmd::Axis dp;
[[spmd::axis("tp")]] extern spmd::Axis tp;

[[spmd::global]] [[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor
right([[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor x, library::Cache &cache) {
  library::save(x);
  cache.rows = x;
  at::Tensor loaded = library::load() + cache.rows;
  return experts::run(x + loaded);
}

[[spmd::global]] void
order([[spmd::type("f32[64@(tp,dp), 8]")]] at::Tensor x) {
  // CHECK: meshes.cpp:[[#@LINE+1]]:3: error: the argument for 'x' must be [64@(dp,tp), 8], which is [64@world, 8] on the mesh of 'x', but 'x' is [64@(tp,dp), 8]: each rank's part is taken for another one [spmd-contract]
  library::save(x);
}

[[spmd::global]] void
store([[spmd::type("f32[64@(tp,dp), 8]")]] at::Tensor x, library::Cache &cache) {
  // CHECK: meshes.cpp:[[#@LINE+1]]:3: error: the value stored in 'cache.rows' must be [64@(dp,tp), 8], which is [64@world, 8] on the mesh of 'cache.rows', but 'x' is [64@(tp,dp), 8]: each rank's part is taken for another one [spmd-contract]
  cache.rows = x;
}

[[spmd::global]] void
to_experts([[spmd::type("f32[64@(tp,dp), 8]")]] at::Tensor x) {
  // CHECK: meshes.cpp:[[#@LINE+1]]:3: error: the argument for 'x' must be [64@(dp,tp), 8], which is [64@(edp,ep), 8] on the mesh of 'x', but 'x' is [64@(tp,dp), 8]: each rank's part is taken for another one [spmd-contract]
  experts::run(x);
}

// ep is a part of dp and all of tp: no axis here.
[[spmd::global]] void
no_form([[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor x) {
  // STRICT: meshes.cpp:[[#@LINE+1]]:3: warning: whether 'x', which is [64@(dp,tp), 8], is what 'x' is declared to be, [64@ep, 8], on another mesh is not known: ep is (dp:(2)2,tp) of the other mesh, no whole axis [spmd-contract]
  experts::some(x);
}

// But what is the same on ep is the same on tp.
void local([[spmd::type("dp: V, tp: V")]] at::Tensor x) {
  // CHECK: meshes.cpp:[[#@LINE+1]]:3: error: the argument for 'x' must be R on 'tp', which is ep: R on the mesh of 'x', but 'x' is V: the ranks hold different values, which are taken for one [spmd-contract]
  experts::weights(x);
}

[[spmd::type("dp: R, tp: R")]] at::Tensor
sums([[spmd::type("dp: P, tp: P")]] at::Tensor x, const library::Cache &cache) {
  at::Tensor y = x + x;
  library::sum(y);
  at::Tensor z = spmd::all_reduce(x, cache.group, spmd::P, spmd::R);
  return y + z + library::reduced(x);
}

[[spmd::type("dp: R, tp: R")]] at::Tensor
part([[spmd::type("dp: V, tp: P")]] at::Tensor x, const library::Cache &cache) {
  // CHECK: meshes.cpp:[[#@LINE+2]]:10: error: all_reduce on 'dp' takes R, but 'x' is V: {{.*}} [spmd-src-type]
  // CHECK: meshes.cpp:[[#@LINE+1]]:10: error: all_reduce on 'tp' takes R, but 'x' is P: {{.*}} [spmd-src-type]
  return spmd::all_reduce(x, cache.group, spmd::R, spmd::R);
}

// An alias keeps the mesh that it is declared on.
[[spmd::global]] library::Rows through([[spmd::type("f32[64@(dp,tp), 8]")]] at::Tensor x, library::Rows y) {
  library::save(y);
  library::Rows kept;
  library::save(kept);
  return x + y + kept;
}
} // namespace attention
