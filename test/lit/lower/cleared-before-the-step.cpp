// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// Gradients that are cleared between the backward pass and the step: what was summed is lost.
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

#include <memory>

struct Trainer {
  [[spmd::type("dp: R")]] torch::nn::Linear model{nullptr};
  [[spmd::axis("dp")]] c10d::ProcessGroup *group;
  std::unique_ptr<torch::optim::SGD> optimizer;

  Trainer() { optimizer = std::make_unique<torch::optim::SGD>(model->parameters(), 0.1); }

  void reduce() {
    for (auto &p : model->parameters()) {
      std::vector<at::Tensor> one{p.grad()};
      group->allreduce(one)->wait();
    }
  }

  void right(at::Tensor x) {
    optimizer->zero_grad();
    auto loss = model(x).mean();
    loss.backward();
    reduce();
    optimizer->step();
  }

  void rightBehind(at::Tensor x) {
    for (int i = 0; i < 10; i++) {
      model(x).mean().backward();
      reduce();
      optimizer->step();
      optimizer->zero_grad();
    }
  }

  void accumulated(at::Tensor x) {
    for (int i = 0; i < 10; i++) {
      if (i % 4 == 0)
        optimizer->zero_grad();
      model(x).mean().backward();
      if (i % 4 == 3) {
        reduce();
        optimizer->step();
      }
    }
  }

  void wrong(at::Tensor x) {
    auto loss = model(x).mean();
    loss.backward();
    reduce();
    optimizer->zero_grad();
    // CHECK: :[[@LINE+1]]:5: error: this 'step' updates 'optimizer.parameters()' by gradients that are nothing but zeros, on every rank: they were cleared behind the backward pass [spmd-backward-type]
    optimizer->step();
  }

  // What nobody has looked at is not said: it may be that the pass is elsewhere.
  void beforeTheSum(at::Tensor x) {
    model(x).mean().backward();
    model->zero_grad();
    reduce();
    optimizer->step();
  }
};

void local(at::Tensor x, [[spmd::axis("dp")]] c10d::ProcessGroup &group,
           [[spmd::type("dp: R")]] torch::nn::Linear &model) {
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  model(x).mean().backward();
  for (auto &p : model->parameters()) {
    std::vector<at::Tensor> one{p.grad()};
    group.allreduce(one)->wait();
  }
  optimizer.zero_grad();
  // CHECK: :[[@LINE+1]]:3: error: this 'step' updates 'optimizer.parameters()' by gradients that are nothing but zeros, on every rank: they were cleared behind the backward pass [spmd-backward-type]
  optimizer.step();
}

// Gradients of one's own making.
void given(at::Tensor g, [[spmd::axis("dp")]] c10d::ProcessGroup &group,
           [[spmd::type("dp: R")]] torch::nn::Linear &model) {
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  optimizer.zero_grad();
  std::vector<at::Tensor> one{g};
  group.allreduce(one)->wait();
  for (auto &p : model->parameters())
    p.mutable_grad() = g;
  optimizer.step();
}

void learn(torch::nn::Linear &model);
void elsewhere([[spmd::type("dp: R")]] torch::nn::Linear &model) {
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  optimizer.zero_grad();
  learn(model);
  optimizer.step();
}
