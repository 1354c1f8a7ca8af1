// Whose gradients a list holds nobody knows, and it is summed: they may be those
// of the model.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %stubs -DDROPPED 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <algorithm>
#include <iterator>
#include <vector>

using PG = c10::intrusive_ptr<c10d::ProcessGroup>;
using at::Tensor;
#define R [[spmd::type("dp: R")]]
#define V [[spmd::type("dp: V")]]
#define DP [[spmd::axis("dp")]]

static void average(DP PG pg, const std::vector<Tensor> &params) {
  std::vector<Tensor> grads;
  std::transform(params.begin(), params.end(), std::back_inserter(grads),
                 [](const Tensor &p) { return p.grad(); });
#ifndef DROPPED
  pg->allreduce_coalesced(grads)->wait();
#endif
}

void train(DP PG pg, R torch::nn::Linear net, V Tensor x) {
  torch::optim::SGD opt(net->parameters(), 0.1);
  opt.zero_grad();
  // CHECK: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  net(x).mean().backward();
  average(pg, net->parameters());
  opt.step();
}
