// The optimizer of a model has the gradients of all its layers, also where a
// caller made the one of the other: a part that is reduced is not the whole.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#include <vector>

using torch::Tensor;
using Group = c10d::ProcessGroup;

struct NetImpl : torch::nn::Module {
  NetImpl() : first(8, 16), second(16, 4) {
    register_module("first", first);
    register_module("second", second);
  }
  Tensor forward(Tensor x) { return second->forward(first->forward(x)); }
  torch::nn::Linear first, second;
};
TORCH_MODULE(Net);

[[spmd::type("dp: V")]] Tensor next();

static void sum(const std::vector<Tensor> &of, [[spmd::axis("dp")]] Group &group) {
  for (const Tensor &p : of) {
    std::vector<Tensor> one{p.grad()};
    group.allreduce(one)->wait();
  }
}

class Trainer {
public:
  explicit Trainer(Group &group) : group_(group), opt_(net_->parameters(), 0.1) {}
  void step() {
    opt_.zero_grad();
    net_->forward(next()).sum().backward();
    sum(net_->parameters(), group_);
    opt_.step();
  }
  void half() {
    opt_.zero_grad();
    net_->forward(next()).sum().backward();
    sum(net_->first->parameters(), group_);
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    opt_.step();
  }
  void inTwo() {
    opt_.zero_grad();
    net_->forward(next()).sum().backward();
    sum(net_->first->parameters(), group_);
    sum(net_->second->parameters(), group_);
    opt_.step();
  }

private:
  [[spmd::axis("dp")]] Group &group_;
  [[spmd::type("dp: R")]] Net net_;
  torch::optim::SGD opt_;
};

static void train(Net &net, torch::optim::SGD &opt, Group &group) {
  opt.zero_grad();
  net->forward(next()).sum().backward();
  sum(net->parameters(), group);
  opt.step();
}
static void trainHalf(Net &net, torch::optim::SGD &opt, Group &group) {
  opt.zero_grad();
  net->forward(next()).sum().backward();
  sum(net->second->parameters(), group);
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}

void run([[spmd::axis("dp")]] Group &group) {
  Trainer trainer(group);
  trainer.step();
  trainer.half();
  trainer.inTwo();
}
void whole([[spmd::axis("dp")]] Group &group) {
  [[spmd::type("dp: R")]] Net net;
  torch::optim::SGD opt(net->parameters(), 0.1);
  train(net, opt, group);
}
void second([[spmd::axis("dp")]] Group &group) {
  [[spmd::type("dp: R")]] Net net;
  torch::optim::SGD opt(net->parameters(), 0.1);
  trainHalf(net, opt, group);
}
