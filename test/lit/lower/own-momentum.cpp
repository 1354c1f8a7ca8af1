// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// Momentum that begins with zeros is made of gradients: that nobody reduces
// these is said where it is used, and not of the loss as well.
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>
#include <vector>

struct Momentum {
  std::vector<torch::Tensor> params, velocity;
  explicit Momentum(std::vector<torch::Tensor> ps) : params(ps) {
    for (auto &p : params)
      velocity.push_back(torch::zeros_like(p));
  }
  void update() {
    torch::NoGradGuard guard;
    for (size_t i = 0; i < params.size(); ++i) {
      auto &v = velocity[i];
      v.mul_(0.9).add_(params[i].grad());
      // CHECK: [[#@LINE+1]]:7: error: 'params[i]' is R and is added to 'v', which is P on 'dp', in 'sub'
      params[i].sub_(v, 0.1);
    }
  }
};

void train([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
           [[spmd::type("dp: V")]] torch::Tensor x) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  Momentum opt(net->parameters());
  for (int i = 0; i < 10; ++i) {
    net->zero_grad();
    net->forward(x).sum().backward();
    opt.update();
  }
}
void reducing([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
              [[spmd::type("dp: V")]] torch::Tensor x) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(8, 8);
  Momentum opt(net->parameters());
  for (int i = 0; i < 10; ++i) {
    net->zero_grad();
    net->forward(x).sum().backward();
    for (auto &p : net->parameters()) {
      std::vector<torch::Tensor> g{p.grad()};
      pg.allreduce(g)->wait();
    }
    opt.update();
  }
}
