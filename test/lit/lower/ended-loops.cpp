// A loop over a list that a condition ends early does to each element what it
// does once, and to some nothing.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <c10d/ProcessGroup.hpp>
#include <cstdio>
#include <torch/torch.h>
#include <vector>

static void reduce(c10d::ProcessGroup &pg, torch::Tensor g) {
  std::vector<torch::Tensor> one = {g};
  pg.allreduce(one)->wait();
}

void until_the_frozen([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
                      [[spmd::type("dp: R")]] torch::nn::Module &m, int frozen) {
  int n = 0;
  for (auto &p : m.parameters()) {
    if (n++ == frozen)
      break;
    reduce(pg, p.grad());
  }
}
void behind([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
            [[spmd::type("dp: R")]] torch::nn::Module &m) {
  for (auto &p : m.parameters()) {
    reduce(pg, p.grad());
    if (!p.requires_grad())
      break;
  }
}
void twice([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
           [[spmd::type("dp: R")]] torch::nn::Linear l, [[spmd::type("dp: V")]] torch::Tensor x) {
  l->forward(x).sum().backward();
  int n = 0;
  for (auto &p : l->parameters()) {
    if (n++ == 1)
      break;
    reduce(pg, p.grad());
    // CHECK: :12:3: error: all_reduce on 'dp' takes V or P, but 'one' is R or I: summing equal values multiplies them by the axis size [spmd-src-type]
    reduce(pg, p.grad());
  }
}
void half([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
          [[spmd::type("dp: R")]] torch::nn::Linear l, [[spmd::type("dp: V")]] torch::Tensor x) {
  torch::optim::SGD opt(l->parameters(), 0.1);
  for (int e = 0; e < 3; ++e) {
    opt.zero_grad();
    l->forward(x).sum().backward();
    int n = 0;
    for (auto &p : l->parameters()) {
      if (++n > 1)
        break;
      reduce(pg, p.grad());
    }
    // CHECK: :[[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
    opt.step();
  }
}
// The loop is the last thing of another.
void inner([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
           [[spmd::type("dp: R")]] torch::nn::Linear l, [[spmd::type("dp: V")]] torch::Tensor x) {
  torch::optim::SGD opt(l->parameters(), 0.1);
  l->forward(x).sum().backward();
  for (int e = 0; e < 1; ++e) {
    int n = 0;
    for (auto &p : l->parameters()) {
      if (++n > 1) {
        std::printf("enough");
        break;
      }
      reduce(pg, p.grad());
    }
  }
  // CHECK: :[[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}
// The first one alone.
void first([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
           [[spmd::type("dp: R")]] torch::nn::Linear l, [[spmd::type("dp: V")]] torch::Tensor x) {
  torch::optim::SGD opt(l->parameters(), 0.1);
  l->forward(x).sum().backward();
  for (auto &p : l->parameters()) {
    if (p.grad().defined())
      reduce(pg, p.grad());
    break;
  }
  // CHECK: :[[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}
// Where something is looked up, nothing is left out.
void looked_up([[spmd::axis("dp")]] c10d::ProcessGroup &pg,
               [[spmd::type("dp: R")]] torch::nn::Linear l, [[spmd::type("dp: V")]] torch::Tensor x) {
  torch::optim::SGD opt(l->parameters(), 0.1);
  l->forward(x).sum().backward();
  for (auto &p : l->parameters())
    reduce(pg, p.grad());
  for (auto &p : l->parameters()) {
    std::printf("%d", int(p.dim()));
    break;
  }
  opt.step();
}
