// `std::for_each` over a list does to each tensor what its function does to the
// parameter, as a loop does.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <algorithm>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>
#include <vector>
using torch::Tensor;
using PG = c10::intrusive_ptr<c10d::ProcessGroup>;
[[spmd::type("dp: V")]] Tensor batch(int i);

//===--- Right ------------------------------------------------------------===//

void closure([[spmd::axis("dp")]] PG pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD opt(params, 0.1);
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    std::for_each(params.begin(), params.end(), [&](Tensor &p) {
      std::vector<Tensor> t{p.grad()};
      pg->allreduce(t)->wait();
    });
    opt.step();
  }
}

void named([[spmd::axis("dp")]] PG pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD opt(params, 0.1);
  const auto reduce = [&](const Tensor &p) {
    std::vector<Tensor> t{p.grad()};
    pg->allreduce(t)->wait();
  };
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    std::for_each(std::cbegin(params), std::cend(params), reduce);
    opt.step();
  }
}

// Of one that is a template, and of one that keeps the tensors, nothing is said.
void unseen([[spmd::axis("dp")]] PG pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD opt(params, 0.1);
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    std::for_each(params.begin(), params.end(), [&](auto &p) {
      std::vector<Tensor> t{p.grad()};
      pg->allreduce(t)->wait();
    });
    opt.step();
  }
}
void kept([[spmd::axis("dp")]] PG pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD opt(params, 0.1);
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    std::vector<Tensor> grads;
    std::for_each(params.begin(), params.end(), [&](Tensor &p) { grads.push_back(p.grad()); });
    pg->allreduce_coalesced(grads)->wait();
    opt.step();
  }
}

// The rest is reduced elsewhere, nobody knows where.
void some([[spmd::axis("dp")]] PG pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD opt(params, 0.1);
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    std::for_each(params.begin() + 1, params.end(), [&](Tensor &p) {
      std::vector<Tensor> t{p.grad()};
      pg->allreduce(t)->wait();
    });
    std::vector<Tensor> t{params[0].grad()};
    pg->allreduce(t)->wait();
    opt.step();
  }
}

void modules([[spmd::axis("dp")]] PG pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  torch::optim::SGD opt(model->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    model->apply([&](torch::nn::Module &m) {
      for (auto &p : m.parameters()) {
        std::vector<Tensor> t{p.grad()};
        pg->allreduce(t)->wait();
      }
    });
    opt.step();
  }
}

// Rank 0 alone looks at them.
void looked([[spmd::axis("dp")]] PG pg, [[spmd::type("dp: R")]] std::vector<Tensor> &params) {
  double largest = 0;
  if (pg->getRank() == 0)
    std::for_each(params.begin(), params.end(), [&](const Tensor &p) { largest = p.abs().max().item<double>(); });
}

//===--- What is found ----------------------------------------------------===//

void scaled() {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD opt(params, 0.1);
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    std::for_each(params.begin(), params.end(), [](Tensor &p) { p.grad().mul_(0.5); });
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'{{.*}} [spmd-partial-nonlinear]
    opt.step();
  }
}

void twice([[spmd::axis("dp")]] PG pg) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD opt(params, 0.1);
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    model->forward(batch(i)).sum().backward();
    for (int round = 0; round < 2; ++round)
      std::for_each(params.begin(), params.end(), [&](Tensor &p) {
        std::vector<Tensor> t{p.grad()};
        // CHECK: [[#@LINE+1]]:9: error: all_reduce on 'dp' takes V or P, but 't' is R or I{{.*}} [spmd-src-type]
        pg->allreduce(t)->wait();
      });
    opt.step();
  }
}

void differ([[spmd::type("dp: R")]] std::vector<Tensor> &params, [[spmd::type("dp: V")]] Tensor x) {
  // CHECK: [[#@LINE-1]]:26: error: parameter 'params' on exit must be R on 'dp', but 'params' is V{{.*}} [spmd-contract]
  std::for_each(params.begin(), params.end(), [&](Tensor &p) { p.copy_(x); });
}
