// What is done to the parameters of some modules of a list is not done to those
// of the others.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

static void sumOne(c10d::ProcessGroup &dp, at::Tensor p) {
  std::vector<at::Tensor> t{p.grad()};
  dp.allreduce(t)->wait();
}
static void sum(c10d::ProcessGroup &dp, const std::vector<at::Tensor> &parameters) {
  for (auto &p : parameters)
    sumOne(dp, p);
}
#define ARGUMENTS [[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] at::Tensor x
#define MODEL [[spmd::type("dp: R")]] torch::nn::Sequential seq(torch::nn::Linear(8, 8), torch::nn::ReLU(), torch::nn::Linear(8, 1))

void allButTheLast(ARGUMENTS) {
  MODEL;
  torch::optim::SGD opt(seq->parameters(), 0.1);
  seq->forward(x).sum().backward();
  for (size_t i = 0; i < seq->size() - 1; ++i)
    for (auto &p : seq->ptr(i)->parameters()) {
      std::vector<at::Tensor> t{p.grad()};
      dp.allreduce(t)->wait();
    }
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}
void allButTheFirst(ARGUMENTS) {
  MODEL;
  torch::optim::SGD opt(seq->parameters(), 0.1);
  seq->forward(x).sum().backward();
  for (size_t i = 1; i < seq->size(); ++i)
    for (auto &p : seq->ptr(i)->parameters())
      sumOne(dp, p);
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}
void children(ARGUMENTS) {
  MODEL;
  torch::optim::SGD opt(seq->parameters(), 0.1);
  seq->forward(x).sum().backward();
  auto layers = seq->children();
  for (size_t i = 0; i + 1 < layers.size(); ++i)
    sum(dp, layers[i]->parameters());
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}
void oneAlone(ARGUMENTS) {
  MODEL;
  torch::optim::SGD opt(seq->parameters(), 0.1);
  seq->forward(x).sum().backward();
  sum(dp, seq->ptr(0)->parameters());
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}

//===--- Right ------------------------------------------------------------===//

void all(ARGUMENTS) {
  MODEL;
  torch::optim::SGD opt(seq->parameters(), 0.1);
  seq->forward(x).sum().backward();
  for (size_t i = 0; i < seq->size(); ++i)
    for (auto &p : seq->ptr(i)->parameters())
      sumOne(dp, p);
  opt.step();
}
void oneByOne(ARGUMENTS) {
  MODEL;
  torch::optim::SGD opt(seq->parameters(), 0.1);
  seq->forward(x).sum().backward();
  sum(dp, seq->ptr(0)->parameters());
  sum(dp, seq->ptr(2)->parameters());
  opt.step();
}
void allChildren(ARGUMENTS) {
  MODEL;
  torch::optim::SGD opt(seq->parameters(), 0.1);
  seq->forward(x).sum().backward();
  for (auto &layer : seq->children())
    for (auto &p : layer->parameters()) {
      std::vector<at::Tensor> t{p.grad()};
      dp.allreduce(t)->wait();
    }
  opt.step();
}
