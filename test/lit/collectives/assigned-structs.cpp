// A struct that the compiler copies has the communicators of the other one.
// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: no findings
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
struct Mesh {
  Group tp;
};
Group make();
static Mesh meshOf() {
  Mesh m;
  m.tp = make();
  return m;
}
static Mesh mesh;
static void reduce(const Group &pg, at::Tensor t) {
  std::vector<at::Tensor> v{t};
  pg->allreduce(v)->wait();
}
int main() {
  mesh = meshOf();
  reduce(mesh.tp, torch::ones({1}));
  Mesh local;
  local = meshOf();
  reduce(local.tp, torch::ones({1}));
}
