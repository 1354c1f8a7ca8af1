// An optimizer of the parameters of two modules steps both: those of the one
// whose gradients nobody has added up, too, however the list was put together.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

static void sumOne(c10d::ProcessGroup &dp, at::Tensor p) {
  std::vector<at::Tensor> t{p.grad()};
  dp.allreduce(t)->wait();
}
static void sum(c10d::ProcessGroup &dp, const std::vector<at::Tensor> &parameters) {
  for (auto &p : parameters)
    sumOne(dp, p);
}
struct NetImpl : torch::nn::Module {
  NetImpl() : a(register_module("a", torch::nn::Linear(8, 8))), b(register_module("b", torch::nn::Linear(8, 8))) {}
  at::Tensor forward(at::Tensor x) { return b(torch::relu(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Net);
#define ARGUMENTS [[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] at::Tensor x

void inserted(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net enc, dec;
  auto all = enc->parameters();
  auto more = dec->parameters();
  all.insert(all.end(), more.begin(), more.end());
  torch::optim::Adam opt(all, 1e-3);
  dec->forward(enc->forward(x)).sum().backward();
  for (auto &p : enc->parameters()) {
    std::vector<at::Tensor> t{p.grad()};
    dp.allreduce(t)->wait();
  }
  // CHECK: [[#@LINE+2]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  // CHECK: note: 'the gradients' is P on 'dp': gradient of 'dec.parameters()', of which each rank has computed its part
  opt.step();
}
void pushed(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net enc, dec;
  std::vector<at::Tensor> all;
  for (auto &p : enc->parameters())
    all.push_back(p);
  for (auto &p : dec->parameters())
    all.push_back(p);
  torch::optim::Adam opt(all, 1e-3);
  dec->forward(enc->forward(x)).sum().backward();
  sum(dp, dec->parameters());
  // CHECK: [[#@LINE+2]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  // CHECK: note: 'the gradients' is P on 'dp': gradient of 'enc.parameters()', of which each rank has computed its part
  opt.step();
}
void groups(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net enc, dec;
  torch::optim::Adam opt(enc->parameters(), 1e-3);
  opt.add_param_group(torch::optim::OptimizerParamGroup(dec->parameters()));
  for (int i = 0; i < 10; ++i) {
    opt.zero_grad();
    dec->forward(enc->forward(x)).sum().backward();
    sum(dp, enc->parameters());
    // CHECK: [[#@LINE+2]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
    // CHECK: note: 'the gradients' is P on 'dp': gradient of 'dec.parameters()', of which each rank has computed its part
    opt.step();
  }
}
void frozenBody(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net body;
  [[spmd::type("dp: R")]] torch::nn::Linear head(8, 2);
  for (auto &p : body->parameters())
    p.requires_grad_(false);
  torch::optim::SGD opt(head->parameters(), 0.1);
  head->forward(body->forward(x)).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}
void frozenOther(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  for (auto &p : net->a->parameters())
    p.requires_grad_(false);
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}
class Trainer {
public:
  Trainer(c10d::ProcessGroup &group) : dp(group) {
    auto all = enc->parameters();
    auto more = dec->parameters();
    all.insert(all.end(), more.begin(), more.end());
    opt = std::make_unique<torch::optim::Adam>(all, 1e-3);
  }
  void one([[spmd::type("dp: V")]] at::Tensor x) {
    dec->forward(enc->forward(x)).sum().backward();
    sum(dp, enc->parameters());
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
    opt->step();
  }
  void both([[spmd::type("dp: V")]] at::Tensor x) {
    dec->forward(enc->forward(x)).sum().backward();
    sum(dp, enc->parameters());
    sum(dp, dec->parameters());
    opt->step();
  }

private:
  [[spmd::type("dp: R")]] Net enc;
  [[spmd::type("dp: R")]] Net dec;
  std::unique_ptr<torch::optim::Adam> opt;
  [[spmd::axis("dp")]] c10d::ProcessGroup &dp;
};

//===--- Right ------------------------------------------------------------===//

void both(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net enc, dec;
  auto all = enc->parameters();
  auto more = dec->parameters();
  all.insert(all.end(), more.begin(), more.end());
  torch::optim::Adam opt(all, 1e-3);
  dec->forward(enc->forward(x)).sum().backward();
  sum(dp, enc->parameters());
  sum(dp, dec->parameters());
  opt.step();
}
void inOneLoop(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net enc, dec;
  auto all = enc->parameters();
  for (auto &p : dec->parameters())
    all.push_back(p);
  torch::optim::Adam opt(all, 1e-3);
  dec->forward(enc->forward(x)).sum().backward();
  for (auto &p : all)
    sumOne(dp, p);
  opt.step();
}
void groupsOfBoth(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net enc, dec;
  torch::optim::Adam opt(enc->parameters(), 1e-3);
  opt.add_param_group(torch::optim::OptimizerParamGroup(dec->parameters()));
  dec->forward(enc->forward(x)).sum().backward();
  for (auto &g : opt.param_groups())
    for (auto &p : g.params())
      sumOne(dp, p);
  opt.step();
}
void frozen(ARGUMENTS) {
  [[spmd::type("dp: R")]] Net enc, dec;
  for (auto &p : enc->parameters())
    p.set_requires_grad(false);
  std::vector<at::Tensor> all;
  for (auto &p : enc->parameters())
    all.push_back(p);
  for (auto &p : dec->parameters())
    all.push_back(p);
  torch::optim::SGD opt(all, 0.1);
  dec->forward(enc->forward(x)).sum().backward();
  sum(dp, dec->parameters());
  opt.step();
}
void frozenLayer(ARGUMENTS, [[spmd::type("dp: R")]] Net net) {
  for (auto &p : net->a->parameters())
    p.set_requires_grad(false);
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  sum(dp, net->b->parameters());
  opt.step();
}
