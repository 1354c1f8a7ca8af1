// An optimizer beside a model is that model's where only the gradients of some
// layer are reduced, too: those of the others are not.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

struct Net : torch::nn::Module {
  Net() : a(register_module("a", torch::nn::Linear(4, 4))), b(register_module("b", torch::nn::Linear(4, 4))) {}
  at::Tensor forward(at::Tensor x) { return b(a(x)); }
  [[spmd::type("dp: R")]] torch::nn::Linear a, b;
};
static void sum(const c10::intrusive_ptr<c10d::ProcessGroup> &g, at::Tensor t) {
  std::vector<at::Tensor> v{t};
  g->allreduce(v)->wait();
}
void one(Net &net, torch::optim::SGD &opt, [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg, [[spmd::type("dp: V")]] at::Tensor x) {
  opt.zero_grad();
  net.forward(x).sum().backward();
  for (auto &p : net.a->parameters())
    sum(pg, p.grad());
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}
void both(Net &net, torch::optim::SGD &opt, [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg, [[spmd::type("dp: V")]] at::Tensor x) {
  opt.zero_grad();
  net.forward(x).sum().backward();
  for (auto &p : net.a->parameters())
    sum(pg, p.grad());
  for (auto &p : net.b->parameters())
    sum(pg, p.grad());
  opt.step();
}
