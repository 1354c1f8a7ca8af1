// Gradients that are summed over a group that is none of the axis.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --quiet %s -- %stubs -DBEHIND 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BEHIND --implicit-check-not="over a group"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using PG = c10::intrusive_ptr<c10d::ProcessGroup>;
using at::Tensor;
PG pairsOf(PG all);

void train([[spmd::axis("dp")]] PG pg,
           [[spmd::type("dp: R")]] torch::nn::Linear net,
           [[spmd::type("dp: V")]] Tensor x) {
  torch::optim::SGD opt(net->parameters(), 0.1);
  PG pairs = pairsOf(pg);
  opt.zero_grad();
  // CHECK: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  net(x).mean().backward();
#ifdef BEHIND
  // BEHIND: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp'
  opt.step();
#endif
  for (auto &p : net->parameters()) {
    std::vector<Tensor> one{p.grad()};
#ifdef BEHIND
    pg->allreduce(one)->wait();
#else
    // CHECK: [[#@LINE+1]]:5: note: gradients are added up here over a group of which nothing says that it is of 'dp'
    pairs->allreduce(one)->wait();
#endif
  }
#ifndef BEHIND
  opt.step();
#endif
}
