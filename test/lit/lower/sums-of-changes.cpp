// Local steps are right where the ranks average by how much they have changed
// the weights. What is no linear part of weights is no such thing.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

void changes([[spmd::axis("dp")]] c10d::ProcessGroup &pg, torch::nn::Linear net,
             [[spmd::type("dp: V")]] at::Tensor x, [[spmd::type("dp: V")]] at::Tensor y) {
  for (auto &p : net->parameters()) {
    std::vector<at::Tensor> t{p.detach()};
    pg.broadcast(t)->wait();
  }
  [[spmd::type("dp: R")]] at::Tensor all = net->weight.detach().clone();
  torch::optim::SGD opt(net->parameters(), 0.1);
  for (int round = 0; round < 100; ++round) {
    for (int step = 0; step < 8; ++step) {
      opt.zero_grad();
      torch::mse_loss(net(x), y).backward();
      opt.step();
    }
    torch::NoGradGuard guard;
    std::vector<at::Tensor> delta{all - net->weight};
    pg.allreduce(delta)->wait();
    delta[0].div_(pg.getSize());
    all.sub_(delta[0], 0.7);
    net->weight.copy_(all);
  }
}

void outputs([[spmd::axis("dp")]] c10d::ProcessGroup &pg, torch::nn::Linear net,
             [[spmd::type("dp: V")]] at::Tensor x, [[spmd::type("dp: V")]] at::Tensor y) {
  torch::optim::SGD opt(net->parameters(), 0.1);
  // CHECK: :[[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp', but 'torch::mse_loss(net(x), y)' is V
  torch::mse_loss(net(x), y).backward();
  opt.step();
  std::vector<at::Tensor> output{at::matmul(x, net->weight)};
  pg.allreduce(output)->wait();
}
