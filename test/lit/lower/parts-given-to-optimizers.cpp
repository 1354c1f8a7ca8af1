// An optimizer that is given the parameters of several models, or of several
// parts of one, reads the gradients of each of them.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using at::Tensor;
using torch::optim::OptimizerParamGroup;
static void sum(c10d::ProcessGroup &dp, const std::vector<Tensor> &parameters) {
  for (auto &p : parameters) {
    std::vector<Tensor> one{p.grad()};
    dp.allreduce(one)->wait();
  }
}
struct NetImpl : torch::nn::Module {
  NetImpl() : a(register_module("a", torch::nn::Linear(8, 8))), b(register_module("b", torch::nn::Linear(8, 8))) {}
  Tensor forward(Tensor x) { return b(torch::relu(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Net);
struct CriticImpl : torch::nn::Module {
  CriticImpl() : c(register_module("c", torch::nn::Linear(8, 1))) {}
  Tensor forward(Tensor x) { return c(x); }
  torch::nn::Linear c;
};
TORCH_MODULE(Critic);
#define ARGUMENTS [[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] Tensor x

void groups(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(net->a->parameters());
  groups.emplace_back(net->b->parameters());
  torch::optim::SGD opt(groups, 0.1);
  opt.zero_grad();
  net->forward(x).sum().backward();
  sum(dp, net->b->parameters());
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}
void braces(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  torch::optim::SGD opt(std::vector<OptimizerParamGroup>{OptimizerParamGroup(net->a->parameters()), OptimizerParamGroup(net->b->parameters())}, 0.1);
  opt.zero_grad();
  net->forward(x).sum().backward();
  sum(dp, net->a->parameters());
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}
void twoModels(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net actor;
  [[spmd::type("dp: R")]] Critic critic;
  std::vector<Tensor> all = actor->parameters();
  for (auto &p : critic->parameters())
    all.push_back(p);
  torch::optim::SGD opt(all, 0.1);
  opt.zero_grad();
  (actor->forward(x).sum() + critic->forward(x).sum()).backward();
  sum(dp, actor->parameters());
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}

//===--- Right ------------------------------------------------------------===//

void bothGroups(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(net->a->parameters());
  groups.emplace_back(net->b->parameters());
  torch::optim::SGD opt(groups, 0.1);
  opt.zero_grad();
  net->forward(x).sum().backward();
  sum(dp, net->a->parameters());
  sum(dp, net->b->parameters());
  opt.step();
}
void wholeModel(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(net->a->parameters());
  groups.emplace_back(net->b->parameters());
  torch::optim::SGD opt(groups, 0.1);
  opt.zero_grad();
  net->forward(x).sum().backward();
  sum(dp, net->parameters());
  opt.step();
}
void byGroup(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(net->a->parameters());
  groups.emplace_back(net->b->parameters());
  torch::optim::SGD opt(groups, 0.1);
  opt.zero_grad();
  net->forward(x).sum().backward();
  for (auto &group : opt.param_groups())
    sum(dp, group.params());
  opt.step();
}
void frozen(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  for (auto &p : net->a->parameters())
    p.set_requires_grad(false);
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(net->a->parameters());
  groups.emplace_back(net->b->parameters());
  torch::optim::SGD opt(groups, 0.1);
  opt.zero_grad();
  net->forward(x).sum().backward();
  sum(dp, net->b->parameters());
  opt.step();
}
void allOfTwo(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net actor;
  [[spmd::type("dp: R")]] Critic critic;
  std::vector<Tensor> all = actor->parameters();
  for (auto &p : critic->parameters())
    all.push_back(p);
  torch::optim::SGD opt(all, 0.1);
  opt.zero_grad();
  (actor->forward(x).sum() + critic->forward(x).sum()).backward();
  sum(dp, all);
  opt.step();
}
void eachOfTwo(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net actor;
  [[spmd::type("dp: R")]] Critic critic;
  std::vector<Tensor> all = actor->parameters();
  for (auto &p : critic->parameters())
    all.push_back(p);
  torch::optim::SGD opt(all, 0.1);
  opt.zero_grad();
  (actor->forward(x).sum() + critic->forward(x).sum()).backward();
  sum(dp, actor->parameters());
  sum(dp, critic->parameters());
  opt.step();
}
// Lists that a condition fills have what the model has.
void decayed(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  std::vector<Tensor> decay, others;
  for (auto &p : net->named_parameters()) {
    if (!p.value().requires_grad())
      continue;
    if (p.value().dim() < 2)
      others.push_back(p.value());
    else
      decay.push_back(p.value());
  }
  std::vector<OptimizerParamGroup> groups{OptimizerParamGroup(decay), OptimizerParamGroup(others)};
  torch::optim::SGD opt(groups, 0.1);
  opt.zero_grad();
  net->forward(x).sum().backward();
  sum(dp, net->parameters());
  opt.step();
}
void decayedByList(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  std::vector<Tensor> decay, others;
  for (auto &p : net->parameters())
    if (p.dim() < 2)
      others.push_back(p);
    else
      decay.push_back(p);
  std::vector<OptimizerParamGroup> groups{OptimizerParamGroup(decay), OptimizerParamGroup(others)};
  torch::optim::SGD opt(groups, 0.1);
  opt.zero_grad();
  net->forward(x).sum().backward();
  sum(dp, decay);
  sum(dp, others);
  opt.step();
}
// What is shared is a part of both.
void sharedLayer(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear shared(8, 8);
  [[spmd::type("dp: R")]] torch::nn::Sequential one(shared, torch::nn::Linear(8, 1)), other(shared, torch::nn::Linear(8, 2));
  std::vector<Tensor> all = one->parameters();
  for (auto &p : other->parameters())
    all.push_back(p);
  torch::optim::SGD opt(all, 0.1);
  opt.zero_grad();
  (one->forward(x).sum() + other->forward(x).sum()).backward();
  sum(dp, all);
  opt.step();
}
