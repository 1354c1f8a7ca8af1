// Parameters that all ranks begin with, as trainers send them round, are the
// replicas that they are declared to be, and an optimizer that a constructor
// makes has them.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

static void sendRound(torch::nn::Module &model, Group group) {
  for (auto &p : model.parameters()) {
    std::vector<Tensor> list = {p};
    group->broadcast(list)->wait();
  }
}

static void average(torch::nn::Module &model, Group group,
                    [[spmd::size("dp")]] int world) {
  for (auto &p : model.parameters()) {
    std::vector<Tensor> list = {p.grad()};
    group->allreduce(list)->wait();
    p.grad().div_(world);
  }
}

class Trainer {
public:
  Trainer(Group group, int world) : world_(world), group_(group) {
    sendRound(*net_, group_);
    optimizer_ =
        std::make_unique<torch::optim::Adam>(net_->parameters());
  }
  void right([[spmd::type("dp: V")]] Tensor data) {
    net_->forward(data).sum().backward();
    average(*net_, group_, world_);
    optimizer_->step();
  }
  void forgotten([[spmd::type("dp: V")]] Tensor data) {
    net_->forward(data).sum().backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    optimizer_->step();
  }

private:
  [[spmd::type("dp: R")]] torch::nn::Linear net_{nullptr};
  std::unique_ptr<torch::optim::Adam> optimizer_;
  [[spmd::size("dp")]] int world_;
  [[spmd::axis("dp")]] Group group_;
};

void sentBefore([[spmd::axis("dp")]] Group dp,
                [[spmd::type("dp: V")]] Tensor data) {
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  sendRound(*net, dp);
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  net->forward(data).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  optimizer.step();
}

// What one iteration made is another object than the next one's.
void oneForEach([[spmd::axis("dp")]] Group dp,
                [[spmd::type("dp: V")]] Tensor data, int sizes) {
  for (int n = 0; n != sizes; ++n) {
    [[spmd::type("dp: R")]] torch::nn::Linear net(4, n);
    torch::optim::SGD optimizer(net->parameters(), 0.1);
    for (int i = 0; i != 10; ++i) {
      net->forward(data).sum().backward();
      // CHECK: [[#@LINE+1]]:7: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
      optimizer.step();
    }
  }
}

// They stay what they are declared to be if a list of handles is sent.
void heldHandles([[spmd::axis("dp")]] c10d::ProcessGroup &group, [[spmd::type("dp: R")]] torch::nn::Linear model,
                 [[spmd::type("dp: V")]] at::Tensor x) {
  std::vector<std::vector<at::Tensor>> held;
  for (auto &p : model->parameters())
    held.push_back({p.data()});
  for (auto &one : held)
    group.broadcast(one)->wait();
  torch::optim::SGD opt(model->parameters(), 0.1);
  model(x).sum().backward();
  for (auto &p : model->parameters()) {
    std::vector<at::Tensor> one{p.grad()};
    group.allreduce(one)->wait();
  }
  opt.step();
  model(x).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}
