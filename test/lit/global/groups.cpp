// Groups of ranks are axes that the mesh in force has not.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s --implicit-check-not="error:" --implicit-check-not="warning:"

#include <spmd/torch.h>
#include <torch/torch.h>

namespace [[spmd::mesh("pp=4, dp=2")]] trainer {
extern spmd::Mesh mesh;

struct Pipeline {
  [[spmd::axis("ends")]] spmd::Axis ends;
};
Pipeline pipeline() { return {mesh.group("ends", {{0, 6}, {1, 7}})}; }

[[spmd::type("ends: R")]] at::Tensor
tied([[spmd::type("ends: P")]] at::Tensor grad) {
  return spmd::all_reduce(grad, mesh.group("ends", {{0, 6}, {1, 7}}), spmd::P, spmd::R);
}

[[spmd::type("ends: R")]] at::Tensor
untied([[spmd::type("ends: P")]] at::Tensor grad) {
  // CHECK: groups.cpp:[[#@LINE+1]]:{{.*}}: error: {{.*}}'ends'{{.*}} [spmd-{{.*}}]
  return at::relu(grad);
}

// CHECK: groups.cpp:[[#@LINE+1]]:{{.*}}: error: unknown axis 'end'
[[spmd::type("end: R")]] at::Tensor typo(at::Tensor x) { return x; }
}
