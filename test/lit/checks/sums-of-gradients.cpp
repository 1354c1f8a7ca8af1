// A backward pass adds its terms to what a sum has left in the gradients: the
// next sum counts that once per rank. Not so where they were cleared, used by a
// step or averaged in between.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error: --implicit-check-not=fix:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#define ARGUMENTS                                                              \
  [[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: R")]] torch::nn::Linear net, \
      torch::optim::SGD &opt, [[spmd::type("dp: V")]] at::Tensor x, int accum

static void sum(c10d::ProcessGroup &dp, torch::nn::Linear net) {
  for (auto &p : net->parameters()) {
    std::vector<at::Tensor> t{p.grad()};
    dp.allreduce(t)->wait();
  }
}

void every(ARGUMENTS) {
  opt.zero_grad();
  for (int i = 0; i < accum; ++i) {
    net->forward(x).sum().backward();
    // CHECK-DAG: [[#@LINE-1]]:5: error: 'the earlier gradient', which a sum over 'dp' has left, is added to 'the gradients' in 'backward', and the next sum counts it once per rank: reduce once, when all terms are added, or average each time [spmd-partial-add]
    for (auto &p : net->parameters()) {
      std::vector<at::Tensor> t{p.grad()};
      dp.allreduce(t)->wait();
      // CHECK-DAG: [[#@LINE-1]]:7: note: 'the earlier gradient' is R or I on 'dp': result of this all_reduce
    }
  }
  opt.step();
}
void inCallee(ARGUMENTS) {
  opt.zero_grad();
  for (int i = 0; i < accum; ++i) {
    net->forward(x).sum().backward();
    // CHECK-DAG: [[#@LINE-1]]:5: error: 'the earlier gradient', which a sum over 'dp' has left, is added to
    sum(dp, net);
  }
  opt.step();
}
void now_and_then([[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] at::Tensor x) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  torch::optim::SGD opt(net->parameters(), 0.1);
  opt.zero_grad();
  for (int i = 0; i < 16; ++i) {
    net->forward(x).sum().backward();
    // CHECK-DAG: [[#@LINE-1]]:5: error: 'the earlier gradient', which a sum over 'dp' has left, is added to
    sum(dp, net);
    if ((i + 1) % 4 == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

//===--- Right ------------------------------------------------------------===//

void once(ARGUMENTS) {
  for (int step = 0; step < 10; ++step) {
    opt.zero_grad();
    for (int i = 0; i < accum; ++i)
      net->forward(x).sum().backward();
    sum(dp, net);
    opt.step();
  }
}
void averaged(ARGUMENTS) {
  opt.zero_grad();
  for (int i = 0; i < accum; ++i) {
    net->forward(x).sum().backward();
    for (auto &p : net->parameters()) {
      std::vector<at::Tensor> t{p.grad()};
      dp.allreduce(t)->wait();
      p.grad().div_(dp.getSize());
    }
  }
  opt.step();
}
void last(ARGUMENTS) {
  for (int i = 0; i < accum; ++i) {
    if (i % 4 == 0)
      opt.zero_grad();
    net->forward(x).sum().backward();
    if (i % 4 == 3) {
      sum(dp, net);
      opt.step();
    }
  }
}
void inModule(ARGUMENTS) {
  for (int i = 0; i < accum; ++i) {
    net->zero_grad();
    net->forward(x).sum().backward();
    sum(dp, net);
    opt.step();
  }
}
void byHand(ARGUMENTS) {
  for (int i = 0; i < accum; ++i) {
    for (auto &p : net->parameters())
      if (p.grad().defined())
        p.mutable_grad() = at::Tensor();
    net->forward(x).sum().backward();
    sum(dp, net);
    opt.step();
  }
}
void ownSteps(ARGUMENTS) {
  torch::NoGradGuard no_grad;
  for (int i = 0; i < accum; ++i) {
    net->forward(x).sum().backward();
    sum(dp, net);
    for (auto &p : net->parameters()) {
      p.sub_(p.grad() * 0.1);
      p.grad().zero_();
    }
  }
}
