// A step reads the gradients of all tensors that its optimizer was given: one
// that nobody has added up is a finding, whatever was done to the others.
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
#define ARGUMENTS [[spmd::axis("dp")]] c10d::ProcessGroup &dp, [[spmd::type("dp: V")]] at::Tensor x
#define TENSORS [[spmd::type("dp: R")]] at::Tensor w, [[spmd::type("dp: R")]] at::Tensor b

void braces(ARGUMENTS, TENSORS) {
  torch::optim::SGD opt({w, b}, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  std::vector<at::Tensor> t{w.grad()};
  dp.allreduce(t)->wait();
  // CHECK: [[#@LINE+2]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  // CHECK: note: 'the gradients' is P on 'dp': gradient of 'b', of which each rank has computed its part
  opt.step();
}
void pushed(ARGUMENTS, TENSORS) {
  std::vector<at::Tensor> all;
  all.push_back(w);
  all.push_back(b);
  torch::optim::Adam opt(all, 0.1);
  for (int i = 0; i < 10; ++i) {
    opt.zero_grad();
    (torch::matmul(x, w) + b).sum().backward();
    sumOne(dp, b);
    // CHECK: [[#@LINE+2]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
    // CHECK: note: 'the gradients' is P on 'dp': gradient of 'w', of which each rank has computed its part
    opt.step();
  }
}
void groups(ARGUMENTS, TENSORS) {
  torch::optim::SGD opt({torch::optim::OptimizerParamGroup({w}), torch::optim::OptimizerParamGroup({b})}, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  sumOne(dp, w);
  // CHECK: [[#@LINE+2]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  // CHECK: note: 'the gradients' is P on 'dp': gradient of 'b', of which each rank has computed its part
  opt.step();
}
void onHeap(ARGUMENTS, TENSORS) {
  auto opt = std::make_unique<torch::optim::SGD>(std::vector<at::Tensor>{w, b}, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  sumOne(dp, w);
  // CHECK: [[#@LINE+2]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  // CHECK: note: 'the gradients' is P on 'dp': gradient of 'b', of which each rank has computed its part
  opt->step();
}
void oneEach(ARGUMENTS, TENSORS) {
  torch::optim::SGD first({w}, 0.1), second({b}, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  sumOne(dp, w);
  first.step();
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  second.step();
}
void oneByNumber(ARGUMENTS, TENSORS) {
  std::vector<at::Tensor> all{w, b};
  torch::optim::SGD opt(all, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  sumOne(dp, all[0]);
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step': each rank has computed a part of the gradient, and nothing has added the parts up [spmd-partial-nonlinear]
  opt.step();
}

//===--- Right ------------------------------------------------------------===//

void both(ARGUMENTS, TENSORS) {
  torch::optim::SGD opt({w, b}, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  sumOne(dp, w);
  sumOne(dp, b);
  opt.step();
}
void inOneCall(ARGUMENTS, TENSORS) {
  torch::optim::SGD opt({w, b}, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  std::vector<at::Tensor> t{w.grad(), b.grad()};
  dp.allreduce(t)->wait();
  opt.step();
}
void inLoop(ARGUMENTS, TENSORS) {
  std::vector<at::Tensor> all{w, b};
  torch::optim::SGD opt(all, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  for (auto &p : all)
    sumOne(dp, p);
  torch::nn::utils::clip_grad_norm_(all, 1.0);
  opt.step();
}
void byAnotherList(ARGUMENTS, TENSORS) {
  std::vector<at::Tensor> all{w, b}, others;
  torch::optim::SGD opt(all, 0.1);
  others.push_back(w);
  others.push_back(b);
  (torch::matmul(x, w) + b).sum().backward();
  sum(dp, others);
  opt.step();
}
void inGroups(ARGUMENTS, TENSORS) {
  torch::optim::SGD opt({w, b}, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  for (auto &g : opt.param_groups())
    for (auto &p : g.params())
      sumOne(dp, p);
  opt.step();
}
void perhaps(ARGUMENTS, TENSORS, bool biased) {
  std::vector<at::Tensor> all{w};
  if (biased)
    all.push_back(b);
  torch::optim::SGD opt(all, 0.1);
  auto y = torch::matmul(x, w);
  if (biased)
    y = y + b;
  y.sum().backward();
  sumOne(dp, w);
  if (biased)
    sumOne(dp, b);
  opt.step();
}
void oneOfThem(ARGUMENTS, TENSORS) {
  std::vector<at::Tensor> all{w, b};
  torch::optim::SGD opt(all, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  sumOne(dp, w);
  auto norm = all[0].grad().norm();
  sumOne(dp, b);
  opt.step();
}
void byNumbers(ARGUMENTS, [[spmd::type("dp: R")]] torch::nn::Linear net) {
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->forward(x).sum().backward();
  std::vector<at::Tensor> t{net->parameters()[0].grad(), net->parameters()[1].grad()};
  dp.allreduce(t)->wait();
  opt.step();
}
void frozen(ARGUMENTS, TENSORS) {
  b.set_requires_grad(false);
  torch::optim::SGD opt({w, b}, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  sumOne(dp, w);
  opt.step();
}
void unseen(std::vector<at::Tensor> parameters);
void byUnseen(ARGUMENTS, TENSORS) {
  std::vector<at::Tensor> all{w, b};
  torch::optim::SGD opt({w, b}, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  unseen(all);
  opt.step();
}
void byUnseenAtOnce(ARGUMENTS, TENSORS) {
  torch::optim::SGD opt({w, b}, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  unseen({w, b});
  opt.step();
}
void byHelper(ARGUMENTS, TENSORS) {
  torch::optim::SGD opt({w, b}, 0.1);
  (torch::matmul(x, w) + b).sum().backward();
  auto norm = w.grad();
  sum(dp, {w, b});
  opt.step();
}
