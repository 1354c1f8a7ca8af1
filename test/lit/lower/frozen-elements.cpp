// Tensors that are taken out of those that get gradients need no sum: where some
// are, a condition that asks for gradients may know which.
// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <spmd/torch.h>
#include <torch/torch.h>
#include <vector>

struct Axes {
  [[spmd::axis("dp")]] spmd::Axis dp;
};

void frozen([[spmd::type("dp: R")]] torch::nn::Linear &net, [[spmd::type("dp: V")]] at::Tensor x, const Axes &on, int first) {
  std::vector<at::Tensor> ps = net->parameters();
  for (int i = 0; i < first; ++i)
    ps[i].set_requires_grad(false);
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  for (int i = 0; i < (int)ps.size(); ++i)
    if (i >= first && ps[i].grad().defined())
      ps[i].grad().copy_(spmd::all_reduce(ps[i].grad(), on.dp, spmd::P, spmd::R));
  opt.step();
}
// CHECK: no findings
