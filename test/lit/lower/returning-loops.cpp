// A loop over all elements that a return may end early has done to each of them
// what its body does where it is left at its end.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

bool reduced([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
             [[spmd::type("dp: R")]] torch::nn::Linear &m,
             [[spmd::type("dp: V")]] torch::Tensor x) {
  torch::optim::SGD opt(m->parameters(), 0.1);
  m->forward(x).mean().backward();
  for (auto &p : m->parameters()) {
    std::vector<at::Tensor> one{p.grad()};
    auto work = pg.allreduce(one);
    work->wait();
    if (!work->isSuccess())
      return false;
  }
  opt.step();
  return true;
}

bool kept([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
          [[spmd::type("dp: R")]] torch::nn::Linear &m,
          [[spmd::type("dp: V")]] torch::Tensor x) {
  torch::optim::SGD opt(m->parameters(), 0.1);
  m->forward(x).mean().backward();
  for (auto &p : m->parameters()) {
    std::vector<at::Tensor> one{p.data()};
    // CHECK: [[#@LINE+1]]:17: error: all_reduce on 'dp' takes V or P, but 'one' is R
    auto work = pg.allreduce(one);
    work->wait();
    if (!work->isSuccess())
      return false;
  }
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
  return true;
}
