// Which of its caller's parameters a function returns is not followed: what is
// done to their gradients is done to some of any.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <utility>
#include <vector>

using at::Tensor;
using Group = c10d::ProcessGroup;

static std::vector<Tensor> chosen(const torch::nn::Module &m, bool matrices) {
  std::vector<Tensor> out;
  for (const auto &p : m.parameters())
    if ((p.dim() > 1) == matrices)
      out.push_back(p);
  return out;
}
struct Groups {
  std::vector<Tensor> decay, rest;
};
static Groups grouped(const torch::nn::Module &m) {
  Groups g;
  for (auto &kv : m.named_parameters())
    (kv.value().dim() > 1 ? g.decay : g.rest).push_back(kv.value());
  return g;
}
static std::pair<std::vector<Tensor>, std::vector<Tensor>> paired(const torch::nn::Module &m) {
  std::vector<Tensor> a, b;
  for (auto &p : m.parameters()) {
    if (p.dim() > 1)
      a.push_back(p);
    else
      b.push_back(p);
  }
  return {a, b};
}
static void sum(const std::vector<Tensor> &ps, [[spmd::axis("dp")]] Group &group) {
  for (const Tensor &p : ps) {
    std::vector<Tensor> one{p.grad()};
    // In doubled():
    // CHECK: returned-parameters.cpp:[[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'one' is R or I
    group.allreduce(one)->wait();
  }
}
struct Trainer {
  [[spmd::axis("dp")]] Group &group;
  [[spmd::type("dp: R")]] torch::nn::Linear model;
  torch::optim::SGD opt{model->parameters(), 0.1};

  void backward([[spmd::type("dp: V")]] Tensor x) {
    opt.zero_grad();
    model->forward(x).sum().backward();
  }
  void listed([[spmd::type("dp: V")]] Tensor x) {
    backward(x);
    auto decay = chosen(*model, true), rest = chosen(*model, false);
    sum(decay, group);
    sum(rest, group);
    opt.step();
  }
  void inGroups([[spmd::type("dp: V")]] Tensor x) {
    backward(x);
    auto of = grouped(*model);
    sum(of.decay, group);
    sum(of.rest, group);
    opt.step();
  }
  void inPair([[spmd::type("dp: V")]] Tensor x) {
    backward(x);
    auto [decay, rest] = paired(*model);
    sum(decay, group);
    sum(rest, group);
    opt.step();
  }
  void steps(int n, [[spmd::type("dp: V")]] Tensor x) {
    auto decay = chosen(*model, true), rest = chosen(*model, false);
    for (int i = 0; i < n; ++i) {
      backward(x);
      sum(decay, group);
      sum(rest, group);
      opt.step();
    }
  }
  // The optimizer has them from there, the reduction has the model.
  void optimized([[spmd::type("dp: V")]] Tensor x) {
    auto of = paired(*model);
    std::vector<torch::optim::OptimizerParamGroup> groups{of.first, of.second};
    torch::optim::SGD inGroups(groups, 0.1);
    backward(x);
    sum(model->parameters(), group);
    inGroups.step();
  }
  void dropped([[spmd::type("dp: V")]] Tensor x) {
    auto of = chosen(*model, true);
    torch::optim::SGD ofThese(of, 0.1);
    backward(x);
    // CHECK: returned-parameters.cpp:[[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    ofThese.step();
  }
  void doubled([[spmd::type("dp: V")]] Tensor x) {
    auto of = chosen(*model, true);
    torch::optim::SGD ofThese(of, 0.1);
    backward(x);
    sum(of, group);
    sum(of, group);
    ofThese.step();
  }
};
