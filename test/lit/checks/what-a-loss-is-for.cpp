// A loss of each rank's own is right where what comes of it is reduced: by the
// name of gradients or by another. Where nobody reduces anything, to call it a
// term of a sum is no repair.
// RUN: cp %s %t.cpp
// RUN: not %spmd-tidy --fix %t.cpp -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: diff %s %t.cpp

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

#include <functional>
#include <vector>

using torch::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

[[spmd::type("dp: V")]] Tensor batch(int i);

void intoMainGradients([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  std::vector<Tensor> master, sums;
  for (auto &p : params) {
    master.push_back(p.detach().clone());
    sums.push_back(torch::zeros_like(p));
  }
  torch::optim::SGD optimizer(master, 0.1);
  for (int m = 0; m < 4; ++m) {
    model->zero_grad();
    model->forward(batch(m)).sum().backward();
    for (size_t k = 0; k < params.size(); ++k)
      sums[k].add_(params[k].grad());
  }
  for (size_t k = 0; k < params.size(); ++k) {
    std::vector<Tensor> one{sums[k]};
    group->allreduce(one)->wait();
    master[k].mutable_grad() = sums[k];
  }
  optimizer.step();
}
void ofLocalSteps([[spmd::axis("dp")]] Group group) {
  torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD optimizer(params, 0.1);
  for (int i = 0; i < 96; ++i) {
    optimizer.zero_grad();
    model->forward(batch(i)).sum().backward();
    optimizer.step();
    if (i % 8 == 7)
      for (auto &p : params) {
        std::vector<Tensor> one{p.data()};
        group->allreduce(one)->wait();
        p.data().div_(group->getSize());
      }
  }
}
// Who runs closures one after the other may reduce what one leaves in the next.
struct Rounds {
  std::function<void()> Before, After;
  void run() {
    Before();
    After();
  }
};
void inAnotherClosure([[spmd::axis("dp")]] Group group) {
  torch::nn::Linear model(8, 8);
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  Rounds rounds;
  rounds.Before = [&] { model->forward(batch(0)).sum().backward(); };
  rounds.After = [&] {
    for (auto &p : model->parameters()) {
      std::vector<Tensor> one{p.grad()};
      group->allreduce(one)->wait();
    }
    optimizer.step();
  };
  rounds.run();
}
// The root has the gradients of all, and adds them up.
void byTheRoot([[spmd::axis("dp")]] Group group) {
  torch::nn::Linear model(8, 8);
  model->forward(batch(0)).sum().backward();
  for (auto &p : model->parameters()) {
    std::vector<Tensor> in{p.grad()};
    std::vector<std::vector<Tensor>> out;
    group->gather(out, in)->wait();
    Tensor mean = torch::zeros_like(p);
    std::vector<Tensor> sent{mean};
    group->broadcast(sent)->wait();
    p.mutable_grad() = mean;
  }
}
// What another method reduces, or who calls this.
struct Trainer {
  [[spmd::type("dp: R")]] torch::nn::Linear model{nullptr};
  [[spmd::axis("dp")]] Group group;
  torch::optim::SGD optimizer{model->parameters(), 0.1};

  void backward(int i) { model->forward(batch(i)).sum().backward(); }
  void step() {
    for (auto &p : model->parameters()) {
      std::vector<Tensor> one{p.grad()};
      group->allreduce(one)->wait();
    }
    optimizer.step();
    optimizer.zero_grad();
  }
};
double ofCaller([[spmd::type("dp: R")]] torch::nn::Linear &model, int i) {
  auto loss = model->forward(batch(i)).sum();
  loss.backward();
  return loss.item<double>();
}
// They are collected in buffers of one's own, which another method reduces.
struct Collected {
  [[spmd::type("dp: R")]] torch::nn::Linear model{nullptr};
  [[spmd::axis("dp")]] Group group;
  torch::optim::SGD optimizer{model->parameters(), 0.1};
  std::vector<Tensor> sums;

  void micro(int i) {
    model->zero_grad();
    model->forward(batch(i)).sum().backward();
    auto ps = model->parameters();
    for (size_t k = 0; k < ps.size(); ++k)
      sums[k] += ps[k].grad();
  }
  void finish() {
    auto ps = model->parameters();
    for (size_t k = 0; k < ps.size(); ++k) {
      std::vector<Tensor> one{sums[k]};
      group->allreduce(one)->wait();
      ps[k].mutable_grad() = sums[k] / group->getSize();
    }
    optimizer.step();
  }
  void both(int i) {
    micro(i);
    micro(i + 1);
    finish();
  }
};
// The sum is over who knows what.
void overUnnamed([[spmd::type("dp: R")]] torch::nn::Linear &model,
                 torch::optim::SGD &optimizer, c10d::ProcessGroup &group) {
  optimizer.zero_grad();
  model->forward(batch(0)).sum().backward();
  for (auto &p : model->parameters()) {
    std::vector<Tensor> one{p.grad()};
    group.allreduce(one)->wait();
  }
  optimizer.step();
}
// Over all ranks in two parts, or over a part of them.
void inTwoParts([[spmd::axis("dp")]] c10d::ProcessGroup &, c10d::ProcessGroup &node,
                c10d::ProcessGroup &nodes, [[spmd::type("dp: R")]] torch::nn::Linear &model) {
  model->forward(batch(0)).sum().backward();
  for (auto &p : model->parameters()) {
    std::vector<Tensor> one{p.grad()};
    node.allreduce(one)->wait();
    nodes.allreduce(one)->wait();
  }
}
void overOthers([[spmd::axis("dp")]] c10d::ProcessGroup &, c10d::ProcessGroup &pairs,
                [[spmd::type("dp: R")]] torch::nn::Linear &model) {
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  // CHECK: [[@LINE+1]]:3: error: backward on a loss that must be P or I on 'dp', but {{.*}} is V
  model->forward(batch(0)).sum().backward();
  for (auto &p : model->parameters()) {
    std::vector<Tensor> one{p.grad()};
    pairs.allreduce(one)->wait();
  }
  optimizer.step();
}
// No other stage has a loss; what comes of it goes on to the one before.
void ofLastStage([[spmd::axis("dp")]] c10d::ProcessGroup &stages,
                 torch::nn::Linear &part,
                 [[spmd::type("dp: R")]] Tensor input) {
  const int stage = stages.getRank(), last = stages.getSize() - 1;
  auto out = part->forward(input * batch(0));
  if (stage == last)
    out.sum().backward();
  if (stage != 0) {
    std::vector<Tensor> sent{input.grad()};
    stages.send(sent, stage - 1, 0)->wait();
  }
}
void forNothing([[spmd::axis("dp")]] Group group) {
  torch::nn::Linear model(8, 8);
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  for (int i = 0; i < 96; ++i) {
    optimizer.zero_grad();
    auto loss = model->forward(batch(i)).sum();
    // CHECK: [[#@LINE+1]]:5: error: backward on a loss that must be P or I on 'dp', but 'loss' is V
    loss.backward();
    // CHECK: note: fix: declare 'loss' as {{.*}} [unsafe]
    optimizer.step();
  }
}
