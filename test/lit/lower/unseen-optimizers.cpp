// An optimizer that a function gets, or a class has, is that of the model whose
// gradients are asked for there, if this is the only one that is declared.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

using Group = c10d::ProcessGroup;

void reduce(Group &group, const std::vector<at::Tensor> &params) {
  for (auto &p : params) {
    std::vector<at::Tensor> one{p.grad()};
    group.allreduce(one)->wait();
  }
}

void right([[spmd::axis("dp")]] Group &group, [[spmd::type("dp: R")]] torch::nn::Linear &net,
           torch::optim::Optimizer &optimizer, [[spmd::type("dp: V")]] torch::Tensor x) {
  optimizer.zero_grad();
  net->forward(x).mean().backward();
  reduce(group, net->parameters());
  optimizer.step();
}

void behindTheStep([[spmd::axis("dp")]] Group &group, [[spmd::type("dp: R")]] torch::nn::Linear &net,
                   torch::optim::Optimizer &optimizer, [[spmd::type("dp: V")]] torch::Tensor x) {
  optimizer.zero_grad();
  net->forward(x).mean().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  optimizer.step();
  reduce(group, net->parameters());
}

struct Trainer {
  [[spmd::axis("dp")]] Group &group;
  [[spmd::type("dp: R")]] torch::nn::Linear net;
  torch::optim::SGD optimizer;

  void beforeThePass([[spmd::type("dp: V")]] torch::Tensor x) {
    optimizer.zero_grad();
    reduce(group, net->parameters());
    net->forward(x).mean().backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    optimizer.step();
  }
};

// Which of the two it is of, nobody knows.
void ofOneOfTwo([[spmd::axis("dp")]] Group &group, [[spmd::type("dp: R")]] torch::nn::Linear &generator,
                [[spmd::type("dp: R")]] torch::nn::Linear &critic, torch::optim::Optimizer &optimizer,
                [[spmd::type("dp: V")]] torch::Tensor x) {
  critic->forward(generator->forward(x)).mean().backward();
  reduce(group, critic->parameters());
  optimizer.step();
}

// Nobody asks for the gradients of the teacher.
void ofTheStudent([[spmd::axis("dp")]] Group &group, [[spmd::type("dp: R")]] torch::nn::Linear &teacher,
                  torch::nn::Linear &student, torch::optim::Optimizer &optimizer,
                  [[spmd::type("dp: V")]] torch::Tensor x) {
  for (auto &p : teacher->parameters())
    p.set_requires_grad(false);
  torch::Tensor target = teacher->forward(x).detach();
  (student->forward(x) - target).mean().backward();
  reduce(group, student->parameters());
  optimizer.step();
}

void withoutTheFirst([[spmd::axis("dp")]] Group &group, [[spmd::type("dp: V")]] torch::Tensor x) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  auto params = net->parameters();
  for (size_t i = 1; i < params.size(); ++i) {
    std::vector<at::Tensor> one{params[i].grad()};
    group.allreduce(one)->wait();
  }
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  optimizer.step();
}
