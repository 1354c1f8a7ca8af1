// autograd::grad gives gradients of its own; clip_grad_value_ reads those that
// tensors have.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

void forgotten([[spmd::type("dp: R")]] torch::Tensor &w, [[spmd::type("dp: V")]] const torch::Tensor &x) {
  auto loss = at::mv(x, w).pow(2).mean();
  auto g = torch::autograd::grad({loss}, {w})[0];
  torch::NoGradGuard guard;
  // CHECK: [[@LINE+1]]:3: error: 'w' is R and is added to 'g', which is P on 'dp', in 'sub'
  w.sub_(g);
}
void summed([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: R")]] torch::Tensor &w, [[spmd::type("dp: V")]] const torch::Tensor &x) {
  auto loss = at::mv(x, w).pow(2).mean();
  for (auto &g : torch::autograd::grad({loss}, {w})) {
    std::vector<at::Tensor> v{g};
    pg.allreduce(v)->wait();
    torch::NoGradGuard guard;
    w.sub_(g);
  }
}
void ofTheInput([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: R")]] torch::Tensor &w, [[spmd::type("dp: V")]] torch::Tensor x) {
  auto g = torch::autograd::grad({at::mv(x, w).mean()}, {x})[0];
  (g.pow(2).mean() + at::mv(x, w).mean()).backward();
  std::vector<at::Tensor> v{w.grad()};
  pg.allreduce(v)->wait();
  torch::NoGradGuard guard;
  w.sub_(w.grad());
}
void clipped([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: R")]] torch::nn::Linear &model, torch::optim::SGD &opt, [[spmd::type("dp: V")]] torch::Tensor x) {
  opt.zero_grad();
  model->forward(x).mean().backward();
  // CHECK: [[@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'clip_grad_value_'
  torch::nn::utils::clip_grad_value_(model->parameters(), 1.0);
  for (auto &p : model->parameters()) {
    std::vector<at::Tensor> v{p.grad()};
    pg.allreduce(v)->wait();
  }
  opt.step();
}
void clippedBehind([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: R")]] torch::nn::Linear &model, torch::optim::SGD &opt, [[spmd::type("dp: V")]] torch::Tensor x) {
  opt.zero_grad();
  model->forward(x).mean().backward();
  for (auto &p : model->parameters()) {
    std::vector<at::Tensor> v{p.grad()};
    pg.allreduce(v)->wait();
  }
  torch::nn::utils::clip_grad_value_(model->parameters(), 1.0);
  opt.step();
}
