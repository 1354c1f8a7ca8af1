// A copy of a module has tensors of its own, of the types of the module's.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

static void sumOne(c10d::ProcessGroup &dp, at::Tensor p) {
  std::vector<at::Tensor> t{p.grad()};
  dp.allreduce(t)->wait();
}
static void sum(c10d::ProcessGroup &dp, const std::vector<at::Tensor> &parameters) {
  for (auto &p : parameters)
    sumOne(dp, p);
}
struct NetImpl : torch::nn::Cloneable<NetImpl> {
  NetImpl() { reset(); }
  void reset() override { a = register_module("a", torch::nn::Linear(8, 8)); }
  at::Tensor forward(at::Tensor x) { return a->forward(x); }
  torch::nn::Linear a{nullptr};
};
TORCH_MODULE(Net);
#define ARGUMENTS [[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] at::Tensor x

void copied(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  auto copy = std::dynamic_pointer_cast<NetImpl>(net->clone());
  torch::optim::SGD opt(copy->parameters(), 0.1);
  copy->forward(x).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}
void held(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  Net copy(std::dynamic_pointer_cast<NetImpl>(net->clone()));
  torch::optim::SGD opt(copy->parameters(), 0.1);
  copy->forward(x).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}
void original(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  auto best = net->clone();
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}

void reducedForIt(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  auto average = std::dynamic_pointer_cast<NetImpl>(net->clone());
  torch::optim::SGD opt(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    opt.zero_grad();
    net->forward(x).sum().backward();
    sum(dp, average->parameters());
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
    opt.step();
  }
}

//===--- Right ------------------------------------------------------------===//

void movingAverage(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  auto average = std::dynamic_pointer_cast<NetImpl>(net->clone());
  torch::optim::SGD opt(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    opt.zero_grad();
    net->forward(x).sum().backward();
    sum(dp, net->parameters());
    opt.step();
    torch::NoGradGuard guard;
    auto from = net->parameters(), to = average->parameters();
    for (size_t j = 0; j < to.size(); ++j)
      to[j].mul_(0.99).add_(from[j], 0.01);
  }
}

void reduced(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  auto copy = std::dynamic_pointer_cast<NetImpl>(net->clone());
  torch::optim::SGD opt(copy->parameters(), 0.1);
  copy->forward(x).sum().backward();
  sum(dp, copy->parameters());
  opt.step();
}
void target(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  auto copy = std::dynamic_pointer_cast<NetImpl>(net->clone());
  torch::optim::SGD opt(net->parameters(), 0.1);
  torch::mse_loss(net->forward(x), copy->forward(x).detach()).backward();
  sum(dp, net->parameters());
  opt.step();
}
void averaged(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net net;
  auto local = std::dynamic_pointer_cast<NetImpl>(net->clone());
  torch::optim::SGD opt(local->parameters(), 0.1);
  for (int i = 0; i < 3; ++i) {
    opt.zero_grad();
    local->forward(x).sum().backward();
    opt.step();
  }
  for (auto &p : local->parameters()) {
    std::vector<at::Tensor> t{p};
    dp.allreduce(t)->wait();
    p.div_(dp.getSize());
  }
}
