// What is said of some parameters of a model only, and of the model where they
// say more: an optimizer that has all of them needs each gradient whole.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

static void sum(Group group, const std::vector<Tensor> &list) {
  for (const auto &p : list) {
    std::vector<Tensor> one = {p.grad()};
    group->allreduce(one)->wait();
  }
}

// Experts are each rank's own, the gate is not.
struct Mixture : torch::nn::Module {
  Mixture() : gate(8, 4), expert(8, 8) {}
  Tensor forward(Tensor x) { return expert(x) * torch::softmax(gate(x), 1).sum(); }
  [[spmd::type("ep: R")]] torch::nn::Linear gate;
  [[spmd::type("ep: V")]] torch::nn::Linear expert;
};

void right([[spmd::axis("ep")]] Group ep, [[spmd::type("ep: V")]] Tensor x) {
  Mixture net;
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  net.forward(x).sum().backward();
  sum(ep, net.gate->parameters());
  optimizer.step();
}

// Sequence parallelism: norms see this rank's positions, weights are shards.
struct Split : torch::nn::Module {
  Tensor forward(Tensor x) { return at::matmul(x, weight); }
  [[spmd::type("tp: S(1), dp: R")]] Tensor weight;
};
struct Block : torch::nn::Module {
  Block() : norm(torch::nn::LayerNormOptions({8})) {}
  Tensor forward(Tensor x) { return split.forward(norm(x)); }
  torch::nn::LayerNorm norm;
  Split split;
};
struct Trainer {
  explicit Trainer(Group tp, Group dp) : tp(tp), dp(dp), optimizer(block.parameters(), 0.1) {}
  void right([[spmd::type("tp: V, dp: V")]] Tensor x) {
    block.forward(x).sum().backward();
    sum(tp, block.norm->parameters());
    sum(dp, block.parameters());
    optimizer.step();
  }
  void forgotten([[spmd::type("tp: V, dp: V")]] Tensor x) {
    block.forward(x).sum().backward();
    sum(dp, block.parameters());
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'tp' and enters the non-linear 'step'
    optimizer.step();
  }
  void wrongAxis([[spmd::type("tp: V, dp: V")]] Tensor x) {
    block.forward(x).sum().backward();
    sum(tp, block.norm->parameters());
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    optimizer.step();
  }
  [[spmd::axis("tp")]] Group tp;
  [[spmd::axis("dp")]] Group dp;
  [[spmd::type("tp: R, dp: R")]] Block block;
  torch::optim::SGD optimizer;
};
