// What an optimizer behind a pointer, or in a member, was made with.
// RUN: %spmd-tidy --quiet %s -- -DRATE=0.1 %stubs 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- '-DRATE=0.1 * size' %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- '-DRATE=0.1 * (rank + 1)' %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#define GROUP [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup>
static void reduce(const std::vector<torch::Tensor> &all, GROUP group) {
  for (auto &p : all) {
    std::vector<torch::Tensor> g = {p.grad()};
    group->allreduce(g)->wait();
  }
}

class Trainer {
public:
  Trainer([[spmd::type("dp: V")]] int rank, [[spmd::size("dp")]] int size, GROUP group)
      : rank_(rank), group_(group) {
    model_ = torch::nn::Linear(8, 8);
    optimizer_ = std::make_unique<torch::optim::SGD>(model_->parameters(), torch::optim::SGDOptions(RATE));
  }
  void step([[spmd::type("dp: V")]] torch::Tensor x) {
    optimizer_->zero_grad();
    model_->forward(x).sum().backward();
    reduce(model_->parameters(), group_);
    // CHECK: :[[#@LINE+1]]:5: error: {{.*}}[spmd-contract]
    optimizer_->step();
  }

private:
  [[spmd::type("dp: V")]] int rank_;
  [[spmd::type("dp: R")]] torch::nn::Linear model_{nullptr};
  std::unique_ptr<torch::optim::SGD> optimizer_;
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> group_;
};
void member([[spmd::type("dp: V")]] int rank, GROUP group, [[spmd::type("dp: V")]] torch::Tensor x) {
  Trainer t(rank, group->getSize(), group);
  for (int i = 0; i < 10; ++i)
    t.step(x);
}

void local([[spmd::type("dp: V")]] int rank, [[spmd::size("dp")]] int size, GROUP group,
           [[spmd::type("dp: V")]] torch::Tensor x) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto optimizer = std::make_unique<torch::optim::SGD>(model->parameters(), torch::optim::SGDOptions(RATE));
  for (int i = 0; i < 10; ++i) {
    optimizer->zero_grad();
    model->forward(x).sum().backward();
    reduce(model->parameters(), group);
    // CHECK: :[[#@LINE+1]]:5: error: {{.*}}[spmd-contract]
    optimizer->step();
  }
}
