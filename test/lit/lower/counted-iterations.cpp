// A local that a statement of the loop's body steps, as its last mention, is one
// number in each iteration: what is done in some of them only is found.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

void average(torch::nn::Linear &net, c10d::ProcessGroup &group) {
  for (auto &p : net->parameters()) {
    std::vector<Tensor> list = {p.grad()};
    group.allreduce(list)->wait();
    p.grad().div_(group.getSize());
  }
}
void everyOther([[spmd::type("dp: R")]] torch::nn::Linear &net,
                [[spmd::axis("dp")]] c10d::ProcessGroup &group,
                [[spmd::type("dp: V")]] std::vector<Tensor> batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int number = 0;
  for (auto &x : batches) {
    optimizer.zero_grad();
    net->forward(x).sum().backward();
    // CHECK: [[#@LINE+4]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    // CHECK: [[#@LINE+1]]:9: note: in iterations where 'number % 2' is not 0
    if (number % 2 == 0)
      average(net, group);
    optimizer.step();
    ++number;
  }
}
void whileSteps([[spmd::type("dp: R")]] torch::nn::Linear &net,
                [[spmd::axis("dp")]] c10d::ProcessGroup &group,
                [[spmd::type("dp: V")]] Tensor x, int steps) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int step = 0;
  while (step < steps) {
    optimizer.zero_grad();
    net->forward(x).sum().backward();
    // CHECK: [[#@LINE+4]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    // CHECK: [[#@LINE+1]]:9: note: in iterations where 'step' is at most 10
    if (step > 10)
      average(net, group);
    optimizer.step();
    step += 1;
  }
}
void accumulates([[spmd::type("dp: R")]] torch::nn::Linear &net,
                 [[spmd::axis("dp")]] c10d::ProcessGroup &group,
                 [[spmd::type("dp: V")]] std::vector<Tensor> batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int number = 0;
  for (auto &x : batches) {
    net->forward(x).sum().backward();
    if (number % 4 == 3) {
      average(net, group);
      optimizer.step();
      optimizer.zero_grad();
    }
    ++number;
  }
}
// It may be another number where it is asked for again.
void asksBehind([[spmd::type("dp: R")]] torch::nn::Linear &net,
                [[spmd::axis("dp")]] c10d::ProcessGroup &group,
                [[spmd::type("dp: V")]] std::vector<Tensor> batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  int number = 0;
  for (auto &x : batches) {
    optimizer.zero_grad();
    net->forward(x).sum().backward();
    if (number % 2 == 0)
      average(net, group);
    ++number;
    if (number % 2 == 1)
      optimizer.step();
  }
}
