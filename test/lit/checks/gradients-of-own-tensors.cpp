// Experts are each rank's own: their gradients are, too, and are summed over
// other axes alone. A norm of them may well be summed.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <torch/torch.h>

using at::Tensor;
#define EXPERTS [[spmd::axis("ep")]] c10d::ProcessGroup &experts
#define REPLICAS [[spmd::axis("dp")]] c10d::ProcessGroup &replicas
#define EXPERT [[spmd::type("ep: V, dp: R")]] torch::nn::Linear &expert
#define GATE [[spmd::type("ep: R, dp: R")]] torch::nn::Linear &gate
#define TOKENS [[spmd::type("ep: V, dp: V")]] Tensor x

static void sum(c10d::ProcessGroup &over, const std::vector<Tensor> &params) {
  for (auto &p : params) {
    std::vector<Tensor> one{p.grad()};
    over.allreduce(one)->wait();
  }
}
void right(EXPERTS, REPLICAS, EXPERT, GATE, TOKENS) {
  expert->forward(gate->forward(x)).sum().backward();
  sum(experts, gate->parameters());
  sum(replicas, gate->parameters());
  sum(replicas, expert->parameters());
}
void wrong(EXPERTS, EXPERT, GATE, TOKENS) {
  expert->forward(gate->forward(x)).sum().backward();
  sum(experts, gate->parameters());
  for (auto &p : expert->parameters()) {
    std::vector<Tensor> one{p.grad()};
    // CHECK: [[@LINE+3]]:5: error: all_reduce on 'ep' adds up 'one', the gradient of a tensor that each rank has its own of: what the others computed for theirs is added to it [spmd-src-type]
    // CHECK: note: 'one' is V on 'ep': gradient of 'expert.parameters()'
    // CHECK-NOT: note: fix:
    experts.allreduce(one)->wait();
  }
}
Tensor norm(EXPERTS, [[spmd::type("ep: V")]] torch::nn::Linear &expert, [[spmd::type("ep: V")]] Tensor x) {
  expert->forward(x).sum().backward();
  Tensor total = torch::zeros({1});
  for (auto &p : expert->parameters())
    total += p.grad().pow(2).sum();
  std::vector<Tensor> one{total};
  experts.allreduce(one)->wait();
  return total.sqrt();
}
