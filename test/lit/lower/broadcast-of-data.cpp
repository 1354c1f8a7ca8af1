// What is sent by another name of a parameter's storage leaves the parameter
// what it is declared to be.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

#include <vector>

using torch::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

[[spmd::type("dp: V")]] Tensor batch(int i);

void train([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  for (auto &p : params) {
    std::vector<Tensor> one{p.data()};
    group->broadcast(one)->wait();
  }
  torch::optim::SGD optimizer(params, 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    model->forward(batch(i)).sum().backward();
    for (auto &p : params) {
      std::vector<Tensor> one{p.grad()};
      group->allreduce(one)->wait();
    }
    optimizer.step();
  }
}
void tooLate([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  for (auto &p : params) {
    std::vector<Tensor> one{p.data()};
    group->broadcast(one)->wait();
  }
  torch::optim::SGD optimizer(params, 0.1);
  for (int i = 0; i < 10; ++i) {
    optimizer.zero_grad();
    model->forward(batch(i)).sum().backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    optimizer.step();
    for (auto &p : params) {
      std::vector<Tensor> one{p.grad()};
      group->allreduce(one)->wait();
    }
  }
}
