// What an optimizer multiplies by is a part of its step.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

#include <vector>

using torch::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

[[spmd::type("dp: V")]] Tensor batch(int i);

void average([[spmd::axis("dp")]] Group group, const std::vector<Tensor> &of) {
  for (auto &p : of) {
    std::vector<Tensor> one{p.grad()};
    group->allreduce(one)->wait();
    p.grad().div_(group->getSize());
  }
}
void ofEachRank([[spmd::axis("dp")]] Group group) {
  torch::manual_seed(0);
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  torch::optim::SGD optimizer(model->parameters(),
                              torch::optim::SGDOptions(0.1 * (group->getRank() + 1)).momentum(0.9));
  for (int i = 0; i < 100; ++i) {
    model->forward(batch(i)).sum().backward();
    average(group, model->parameters());
    // CHECK: [[#@LINE+1]]:5: error: from here on 'model.parameters()' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    optimizer.step();
  }
}
void ofAll([[spmd::axis("dp")]] Group group, double rate) {
  torch::manual_seed(0);
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  torch::optim::SGD optimizer(model->parameters(),
                              torch::optim::SGDOptions(rate * group->getSize()));
  for (int i = 0; i < 100; ++i) {
    model->forward(batch(i)).sum().backward();
    average(group, model->parameters());
    for (auto &of : optimizer.param_groups())
      static_cast<torch::optim::SGDOptions &>(of.options()).lr(rate / i);
    optimizer.step();
  }
}
// The rank over two axes is another one on each rank, and so is what is drawn.
void drawn([[spmd::type("dp: V, tp: V")]] int rank) {
  torch::manual_seed(42 + rank);
  // CHECK: [[#@LINE+1]]:45: error: from here on 'model.parameters()' is V on 'dp'
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
}
// A rate of which nobody knows what it is, is the same on all ranks.
double scheduled(int step);
void ofSchedule([[spmd::axis("dp")]] Group group) {
  torch::manual_seed(0);
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (auto &of : optimizer.param_groups())
      static_cast<torch::optim::SGDOptions &>(of.options()).lr(scheduled(i));
    optimizer.zero_grad();
    model->forward(batch(i)).sum().backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    optimizer.step();
    average(group, model->parameters());
  }
}
void ofScheduleRight([[spmd::axis("dp")]] Group group) {
  torch::manual_seed(0);
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(scheduled(0)));
  for (int i = 0; i < 100; ++i) {
    for (auto &of : optimizer.param_groups())
      static_cast<torch::optim::SGDOptions &>(of.options()).lr(scheduled(i));
    optimizer.zero_grad();
    model->forward(batch(i)).sum().backward();
    average(group, model->parameters());
    optimizer.step();
  }
}
