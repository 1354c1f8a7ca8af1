// A hook that all parameters of a module get is run in each backward pass: what
// it returns is the gradient.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using at::Tensor;
#define ARGUMENTS [[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] Tensor x
static Tensor sum(c10d::ProcessGroup &dp, Tensor t) {
  std::vector<Tensor> one{t};
  dp.allreduce(one)->wait();
  return one[0];
}

void forgotten(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  for (auto &p : net->parameters())
    p.register_hook([&](Tensor g) { return g / dp.getSize(); });
  torch::optim::SGD opt(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    opt.zero_grad();
    net->forward(x).sum().backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    opt.step();
  }
}
void besides(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  for (auto &p : net->parameters())
    p.register_hook([&dp](Tensor g) { return sum(dp, g); });
  torch::optim::SGD opt(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    opt.zero_grad();
    net->forward(x).sum().backward();
    for (auto &p : net->parameters()) {
      std::vector<Tensor> one{p.grad()};
      // CHECK: [[#@LINE+1]]:7: error: all_reduce on 'dp' takes V or P, but 'one' is R
      dp.allreduce(one)->wait();
    }
    opt.step();
  }
}
void clipped(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  for (auto &p : net->parameters())
    p.register_hook([](Tensor g) {
      // CHECK: [[#@LINE+1]]:14: error: 'g' is P on 'dp' and enters the non-linear 'clamp'
      return g.clamp(-1, 1);
    });
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  opt.step();
}

//===--- Right ------------------------------------------------------------===//

void reduced(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  for (auto &p : net->parameters())
    p.register_hook([&](Tensor g) { return sum(dp, g) / dp.getSize(); });
  torch::optim::SGD opt(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    opt.zero_grad();
    net->forward(x).sum().backward();
    opt.step();
  }
}
void inPlace(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  for (auto &item : net->named_parameters())
    item.value().register_hook([&](Tensor g) {
      std::vector<Tensor> one{g};
      dp.allreduce(one)->wait();
      return g;
    });
  torch::optim::SGD opt(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    net->zero_grad();
    net->forward(x).sum().backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    opt.step();
  }
}
// Each pass is reduced by itself.
void accumulated(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  for (auto &p : net->parameters())
    p.register_hook([&](Tensor g) { return sum(dp, g); });
  torch::optim::SGD opt(net->parameters(), 0.1);
  opt.zero_grad();
  for (int i = 0; i < 10; ++i)
    net->forward(x).sum().backward();
  opt.step();
}
void scaled(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  const double size = dp.getSize();
  for (auto &p : net->parameters())
    p.register_hook([size](Tensor g) { return g / size; });
  torch::optim::SGD opt(net->parameters(), 0.1);
  opt.zero_grad();
  net->forward(x).sum().backward();
  for (auto &p : net->parameters())
    sum(dp, p.grad());
  opt.step();
}
// Nobody knows what is hooked, or when.
void perhaps(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  if (dp.getSize() > 1)
    for (auto &p : net->parameters())
      p.register_hook([&](Tensor g) { return sum(dp, g); });
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  opt.step();
}
void ofTheCaller(ARGUMENTS, [[spmd::type("dp: R")]] torch::nn::Linear net) {
  for (auto &p : net->parameters())
    p.register_hook([&](Tensor g) { return sum(dp, g); });
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  opt.step();
}
static void train(torch::nn::Linear net, Tensor x) {
  net->forward(x).sum().backward();
}
void byCallee(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  for (auto &p : net->parameters())
    p.register_hook([&](Tensor g) { return sum(dp, g); });
  torch::optim::SGD opt(net->parameters(), 0.1);
  train(net, x);
  opt.step();
}
void twoHooks(ARGUMENTS) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  for (auto &p : net->parameters())
    p.register_hook([&](Tensor g) { return g * 0.5; });
  for (auto &p : net->parameters())
    p.register_hook([&](Tensor g) { return sum(dp, g); });
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  opt.step();
}
