// What a function returns of the gradients of tensors that its caller passed is
// theirs: a list of all of them, or of some.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using at::Tensor;
using Group = c10d::ProcessGroup;

static std::vector<Tensor> gradients(const torch::nn::Module &m) {
  std::vector<Tensor> out;
  for (const auto &p : m.parameters())
    if (p.grad().defined())
      out.push_back(p.grad());
  return out;
}
static std::vector<Tensor> gradients(const torch::nn::Module &m, bool matrices) {
  std::vector<Tensor> out;
  for (const auto &p : m.parameters())
    if ((p.dim() > 1) == matrices)
      out.push_back(p.grad());
  return out;
}
static void sum(const std::vector<Tensor> &gs, [[spmd::axis("dp")]] Group &group) {
  for (Tensor g : gs) {
    std::vector<Tensor> one{g};
    group.allreduce(one)->wait();
  }
}
struct Trainer {
  [[spmd::axis("dp")]] Group &group;
  [[spmd::type("dp: R")]] torch::nn::Linear model;
  torch::optim::SGD opt{model->parameters(), 0.1};

  void backward([[spmd::type("dp: V")]] Tensor x) {
    opt.zero_grad();
    model(x).sum().backward();
  }
  void whole([[spmd::type("dp: V")]] Tensor x) {
    backward(x);
    auto grads = gradients(*model);
    sum(grads, group);
    opt.step();
  }
  void in_two([[spmd::type("dp: V")]] Tensor x) {
    backward(x);
    auto matrices = gradients(*model, true);
    auto vectors = gradients(*model, false);
    sum(matrices, group);
    sum(vectors, group);
    opt.step();
  }
  void dropped([[spmd::type("dp: V")]] Tensor x) {
    backward(x);
    auto grads = gradients(*model);
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    opt.step();
  }
  void twice([[spmd::type("dp: V")]] Tensor x) {
    backward(x);
    auto grads = gradients(*model);
    group.allreduce(grads)->wait();
    // CHECK: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'grads' is R or I
    group.allreduce(grads)->wait();
    opt.step();
  }
};
