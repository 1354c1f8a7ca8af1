// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// An optimizer and a model, each with a type of its own: nobody says that they
// are of the same parameters.
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

#include <memory>

struct Pack {
  [[spmd::type("dp: R")]] std::shared_ptr<torch::nn::Linear> model;
  [[spmd::type("dp: R")]] std::shared_ptr<torch::optim::SGD> optimizer;
  [[spmd::axis("dp")]] std::shared_ptr<c10d::ProcessGroup> group;
};
struct Wrapper {
  std::vector<at::Tensor> parameters() const;
  [[spmd::type("dp: V")]] at::Tensor forward(at::Tensor x) const;
};
struct Wrapped {
  [[spmd::type("dp: R")]] std::shared_ptr<Wrapper> model;
  [[spmd::type("dp: R")]] std::shared_ptr<torch::optim::SGD> optimizer;
};
void reduce([[spmd::type("dp: P -> dp: I")]] std::vector<at::Tensor> &gradients);

// On the way without a pass the gradients are of an earlier one.
void replayed(Pack &pack, at::Tensor x, bool replay) {
  auto optimizer = pack.optimizer;
  optimizer->zero_grad();
  if (!replay)
    (*pack.model)(x).mean().backward();
  for (auto &p : (*pack.model)->parameters()) {
    std::vector<at::Tensor> one{p.grad()};
    pack.group->allreduce(one)->wait();
  }
  optimizer->step();
}

void wrapped(Wrapped &pack, at::Tensor x) {
  auto optimizer = pack.optimizer;
  pack.model->forward(x).mean().backward();
  std::vector<at::Tensor> gradients;
  for (const auto &p : pack.model->parameters())
    gradients.push_back(p.grad());
  reduce(gradients);
  optimizer->step();
}

// A flag that switches the sum off: each way is looked at.
void reducedPerhaps(Wrapped &pack, at::Tensor x, bool alone) {
  pack.model->forward(x).mean().backward();
  if (!alone) {
    std::vector<at::Tensor> gradients;
    for (const auto &p : pack.model->parameters())
      gradients.push_back(p.grad());
    reduce(gradients);
  }
  // CHECK: :[[@LINE+1]]:3: error: {{.*}} is P on 'dp' and enters the non-linear 'step'{{.*}}[spmd-partial-nonlinear]
  pack.optimizer->step();
}

void dropped(Wrapped &pack, at::Tensor x) {
  pack.model->forward(x).mean().backward();
  // CHECK: :[[@LINE+1]]:3: error: {{.*}} is P on 'dp' and enters the non-linear 'step'{{.*}}[spmd-partial-nonlinear]
  pack.optimizer->step();
}

void half(Wrapped &pack, at::Tensor x) {
  pack.model->forward(x).mean().backward();
  std::vector<at::Tensor> gradients;
  for (const auto &p : pack.model->parameters())
    if (p.dim() > 1)
      gradients.push_back(p.grad());
  reduce(gradients);
  // CHECK: :[[@LINE+1]]:3: error: {{.*}} is P on 'dp' and enters the non-linear 'step'{{.*}}[spmd-partial-nonlinear]
  pack.optimizer->step();
}
