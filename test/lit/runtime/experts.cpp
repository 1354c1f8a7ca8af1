// Rows go to experts and back: exchanges from V to V.
// RUN: not %spmd-tidy %s -- %stubs -std=c++20 2>&1 | FileCheck %s --implicit-check-not="error:" --implicit-check-not="warning:"

#include <spmd/experts.h>
#include <spmd/torch.h>
#include <torch/torch.h>

struct Layer {
  [[spmd::axis("ep")]] spmd::Axis ep;
  [[spmd::type("ep: V")]] at::Tensor expert;

  [[spmd::type("ep: V")]] at::Tensor
  right([[spmd::type("ep: V")]] const at::Tensor &x,
        [[spmd::type("ep: V")]] const at::Tensor &expert_of) const {
    const spmd::Routing route(expert_of, 8, ep);
    at::Tensor here = spmd::dispatch(x, ep, spmd::V, spmd::V, route);
    at::Tensor done = torch::gelu(at::linear(here, expert));
    return spmd::combine(done, ep, spmd::V, spmd::V, route);
  }

  [[spmd::type("ep: R")]] at::Tensor
  wrong([[spmd::type("ep: V")]] const at::Tensor &x,
        [[spmd::type("ep: V")]] const at::Tensor &expert_of) const {
    const spmd::Routing route(expert_of, 8, ep);
    at::Tensor here = spmd::dispatch(x, ep, spmd::V, spmd::V, route);
    // CHECK: experts.cpp:[[#@LINE+1]]:{{.*}}: error: {{.*}}'ep'{{.*}} [spmd-{{.*}}]
    return spmd::combine(torch::gelu(here), ep, spmd::V, spmd::V, route);
  }
};
