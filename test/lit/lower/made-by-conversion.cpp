// std::make_unique hands what it is given to the constructor that takes as
// many, also where that converts it: a model to its base.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#include <memory>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  Net() : layer(register_module("layer", torch::nn::Linear(8, 8))) {}
  Tensor forward(Tensor x) { return layer(x); }
  torch::nn::Linear layer;
};
class Averages {
public:
  Averages(const torch::nn::Module &of, double decay) : decay_(decay) {
    for (auto &p : of.parameters())
      kept_.push_back(p.detach().clone());
  }

private:
  std::vector<Tensor> kept_;
  double decay_;
};

[[spmd::type("dp: V")]] Tensor next();

void train([[spmd::axis("dp")]] c10d::ProcessGroup &group) {
  torch::manual_seed(1);
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  torch::optim::SGD opt(net->parameters(), 0.1);
  auto averages = std::make_unique<Averages>(*net, 0.99f);
  for (int i = 0; i < 10; ++i) {
    net->forward(next()).sum().backward();
    for (auto &p : net->parameters()) {
      std::vector<Tensor> one{p.grad()};
      group.allreduce(one)->wait();
    }
    // CHECK: [[#@LINE+1]]:9: error: from here on 'net.parameters()' is V on 'dp', and nothing makes it R again before its object ends
    if (group.getRank() == 0)
      opt.step();
  }
}
void right([[spmd::axis("dp")]] c10d::ProcessGroup &group) {
  torch::manual_seed(1);
  [[spmd::type("dp: R")]] auto net = std::make_shared<Net>();
  torch::optim::SGD opt(net->parameters(), 0.1);
  auto averages = std::make_unique<Averages>(*net, 0.99f);
  for (int i = 0; i < 10; ++i) {
    net->forward(next()).sum().backward();
    for (auto &p : net->parameters()) {
      std::vector<Tensor> one{p.grad()};
      group.allreduce(one)->wait();
    }
    opt.step();
  }
}
