// Gradients that a hook is given, or that lie in a buffer: who reduces them is
// not seen. What is said of others stays.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

#include <vector>

using torch::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

[[spmd::type("dp: V")]] Tensor batch(int i);

void byHooks([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  for (auto &p : model->parameters())
    p.register_hook([group](const Tensor &gradient) -> Tensor {
      std::vector<Tensor> one{gradient};
      group->allreduce(one)->wait();
      return one[0] / group->getSize();
    });
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  model->forward(batch(0)).sum().backward();
  optimizer.step();
}

class Parallel {
public:
  Parallel(torch::nn::Linear m, Group g) : model(m), group(g) {
    for (auto &p : model->parameters())
      p.register_hook([this](const Tensor &g) -> Tensor { return reduce(g); });
  }
  Tensor forward(Tensor x) { return model->forward(x); }
  Tensor reduce(const Tensor &gradient) {
    std::vector<Tensor> one{gradient.clone()};
    group->allreduce(one)->wait();
    return one[0];
  }

private:
  torch::nn::Linear model;
  [[spmd::axis("dp")]] Group group;
};
void byHooksOfAClass([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  Parallel parallel(model, group);
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  parallel.forward(batch(0)).sum().backward();
  optimizer.step();
}

void inABuffer([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto flat = torch::zeros({72});
  int64_t at = 0;
  for (auto &p : model->parameters()) {
    p.mutable_grad() = flat.narrow(0, at, p.numel()).view(p.sizes());
    at += p.numel();
  }
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  flat.zero_();
  model->forward(batch(0)).sum().backward();
  std::vector<Tensor> one{flat};
  group->allreduce(one)->wait();
  optimizer.step();
}

struct Flat {
  explicit Flat(const std::vector<Tensor> &of) {
    flat = torch::zeros({72});
    int64_t at = 0;
    for (auto &p : of) {
      p.mutable_grad() = flat.narrow(0, at, p.numel()).view(p.sizes());
      at += p.numel();
    }
  }
  Tensor flat;
};
void inAMember([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  Flat gradients(model->parameters());
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  model->forward(batch(0)).sum().backward();
  std::vector<Tensor> one{gradients.flat};
  group->allreduce(one)->wait();
  optimizer.step();
}

void nowhereElse([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  model->forward(batch(0)).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  optimizer.step();
}
