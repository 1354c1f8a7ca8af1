// A step of an optimizer that is given may be that of a class of the file that
// derives from it, and reduces the gradients first.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DALONE %stubs 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALONE --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <memory>
#include <vector>

using PG = c10::intrusive_ptr<c10d::ProcessGroup>;
using at::Tensor;
using torch::nn::Linear;
#define R [[spmd::type("dp: R")]]
#define V [[spmd::type("dp: V")]]
#define DP [[spmd::axis("dp")]]

#ifdef ALONE
// It adds up nothing.
struct Counting : torch::optim::SGD {
  explicit Counting(std::vector<Tensor> ps) : torch::optim::SGD(ps, 0.1) {}
  Tensor step() override {
    ++steps;
    return torch::optim::SGD::step();
  }
  int steps = 0;
};
// Of exactly its class.
struct Distributed : torch::optim::Adam {
  Distributed(std::vector<Tensor> ps, PG g) : torch::optim::Adam(ps, 0.1), params(ps), pg(g) {}
  Tensor step() override {
    for (auto &p : params) {
      std::vector<Tensor> one{p.grad()};
      pg->allreduce(one)->wait();
    }
    return torch::optim::Adam::step();
  }
  R std::vector<Tensor> params;
  DP PG pg;
};
struct Trainer {
  R Linear net;
  torch::optim::Adam opt;
  void step(V Tensor x) {
    // ALONE: [[#@LINE+1]]:5: error: backward on a loss that must be P or I on 'dp'
    net(x).pow(2).mean().backward();
    opt.step();
  }
};
void counted(torch::optim::SGD &opt, R Linear &net, V Tensor x) {
  opt.zero_grad();
  // ALONE: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  net(x).pow(2).mean().backward();
  opt.step();
}
#else
struct Distributed : torch::optim::SGD {
  Distributed(std::vector<Tensor> ps, PG g) : torch::optim::SGD(ps, 0.1), params(ps), pg(g) {}
  Tensor step() override {
    for (auto &p : params) {
      std::vector<Tensor> one{p.grad()};
      pg->allreduce(one)->wait();
      p.grad().div_(pg->getSize());
    }
    return torch::optim::SGD::step();
  }
  R std::vector<Tensor> params;
  DP PG pg;
};
void other(torch::optim::Adam &opt, R Linear &net, V Tensor x) {
  // CHECK: [[#@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp'
  net(x).pow(2).mean().backward();
  opt.step();
}

//===--- Right ------------------------------------------------------------===//

void train(torch::optim::Optimizer &opt, R Linear &net, V Tensor x) {
  opt.zero_grad();
  net(x).pow(2).mean().backward();
  opt.step();
}
void go(R Linear net, DP PG pg, V Tensor x) {
  Distributed opt(net->parameters(), pg);
  train(opt, net, x);
}
void held(std::unique_ptr<torch::optim::SGD> &opt, R Linear &net, V Tensor x) {
  opt->zero_grad();
  net(x).pow(2).mean().backward();
  opt->step();
}
#endif
