// A step that is given a closure runs it first, and reads the gradients that it
// leaves: what was added up before is gone by then.
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
struct NetImpl : torch::nn::Module {
  NetImpl() : a(register_module("a", torch::nn::Linear(8, 8))), b(register_module("b", torch::nn::Linear(8, 8))) {}
  at::Tensor forward(at::Tensor x) { return b(torch::relu(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Net);
#define ARGUMENTS [[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] at::Tensor x

void forgotten(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  torch::optim::SGD opt(net->parameters(), 0.1);
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step([&] {
    opt.zero_grad();
    auto loss = net->forward(x).sum();
    loss.backward();
    return loss;
  });
}
void named(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  torch::optim::LBFGS opt(net->parameters(), torch::optim::LBFGSOptions(1).max_iter(20));
  auto closure = [&]() -> at::Tensor {
    opt.zero_grad();
    auto loss = net->forward(x).sum();
    loss.backward();
    return loss;
  };
  for (int i = 0; i < 10; ++i)
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
    opt.step(closure);
}
void function(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  torch::optim::LBFGS opt(net->parameters(), 1);
  std::function<at::Tensor()> closure = [&]() -> at::Tensor {
    opt.zero_grad();
    auto loss = net->forward(x).sum();
    loss.backward();
    return loss;
  };
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step(closure);
}
void before(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  sum(dp, net->parameters());
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step([&] {
    opt.zero_grad();
    auto loss = net->forward(x).sum();
    loss.backward();
    return loss;
  });
}

//===--- Right ------------------------------------------------------------===//

void within(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  torch::optim::LBFGS opt(net->parameters(), 1);
  opt.step([&] {
    opt.zero_grad();
    auto loss = net->forward(x).sum();
    loss.backward();
    for (auto &p : net->parameters()) {
      std::vector<at::Tensor> t{p.grad()};
      dp.allreduce(t)->wait();
    }
    return loss;
  });
}
void namedWithin(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  torch::optim::SGD opt(net->parameters(), 0.1);
  auto closure = [&]() -> at::Tensor {
    opt.zero_grad();
    auto loss = net->forward(x).sum();
    loss.backward();
    sum(dp, net->parameters());
    return loss;
  };
  for (int i = 0; i < 10; ++i)
    opt.step(closure);
}
void given(ARGUMENTS, [[spmd::type("dp: R")]] Net net, std::function<at::Tensor()> closure) {
  torch::optim::LBFGS opt(net->parameters(), 1);
  opt.step(closure);
}
