// A loop over parameters that one rank runs, and that changes none of them, or
// what is sent to the others then.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

#include <vector>

using torch::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

[[spmd::type("dp: V")]] Tensor batch(int i);

double counted([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  int64_t numbers = 0;
  if (group->getRank() == 0)
    for (auto &p : model->parameters())
      if (p.grad().defined())
        numbers += p.numel();
  return double(numbers);
}
double normOfReplicas([[spmd::type("tp: R")]] const std::vector<Tensor> &of,
                      [[spmd::axis("tp")]] Group tp) {
  auto total = torch::zeros({1});
  if (tp->getRank() == 0)
    for (auto &g : of)
      total += g.pow(2).sum();
  std::vector<Tensor> one{total};
  tp->allreduce(one)->wait();
  return total.sqrt().item<double>();
}
void loaded([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  if (group->getRank() == 0)
    torch::load(model, "first.pt");
  for (auto &p : model->parameters()) {
    std::vector<Tensor> one{p};
    group->broadcast(one)->wait();
  }
}
void notSent([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  // CHECK: [[#@LINE+1]]:7: error: from here on 'model.parameters()' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
  if (group->getRank() == 0)
    torch::load(model, "first.pt");
}
void changed([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  torch::NoGradGuard none;
  // CHECK: [[#@LINE+1]]:7: error: from here on 'model.parameters()' is V on 'dp'
  if (group->getRank() == 0)
    for (auto &p : model->parameters())
      p.mul_(2);
}
