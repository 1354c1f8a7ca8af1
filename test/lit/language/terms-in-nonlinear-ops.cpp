// What a row parallel layer makes is each rank's term of a sum: an op that is not
// linear comes behind the sum.
//
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/torch.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
using at::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
#define TP [[spmd::axis("tp")]] Group tp
#define COLUMN [[spmd::type("tp: S(0)")]] Tensor
#define ROW [[spmd::type("tp: S(1)")]] Tensor
#define ALIKE [[spmd::type("tp: R")]] Tensor

struct Mlp : torch::nn::Module {
  [[spmd::type("weight: tp: S(0); bias: tp: S(0)")]] torch::nn::Linear up{nullptr};
  [[spmd::type("weight: tp: S(1)")]] torch::nn::Linear down{nullptr};
  [[spmd::axis("tp")]] Group tp;
  Mlp(Group g) : tp(g) {
    up = register_module("up", torch::nn::Linear(8, 16));
    down = register_module("down", torch::nn::Linear(torch::nn::LinearOptions(16, 8).bias(false)));
  }
  Tensor forward(ALIKE x) {
    std::vector<Tensor> y = {down->forward(torch::gelu(up->forward(x)))};
    tp->allreduce(y)->wait();
    return y[0];
  }
  Tensor late(ALIKE x) {
    auto h = down->forward(torch::gelu(up->forward(x)));
    // CHECK: [[#@LINE+1]]:30: error: 'h' is each rank's term of a sum over 'tp' and enters the non-linear 'gelu' before it is added up: gelu of a sum is not the sum of the ranks' gelu [spmd-partial-nonlinear]
    std::vector<Tensor> y = {torch::gelu(h)};
    tp->allreduce(y)->wait();
    return y[0];
  }
};

Tensor of_weights(ALIKE x, COLUMN up, ROW down, TP) {
  auto y = torch::linear(torch::linear(x, up), down);
  // CHECK: [[#@LINE+1]]:28: error: 'y' is each rank's term of a sum over 'tp' and enters the non-linear 'softmax' before it is added up: softmax of a sum is not the sum of the ranks' softmax [spmd-partial-nonlinear]
  std::vector<Tensor> t = {torch::softmax(y, -1)};
  tp->allreduce(t)->wait();
  return t[0];
}
Tensor of_products([[spmd::type("tp: V")]] Tensor h, [[spmd::type("tp: S(0)")]] Tensor w, TP) {
  auto y = torch::mm(h, w);
  // CHECK: [[#@LINE+1]]:28: error: 'y' is each rank's term of a sum over 'tp' and enters the non-linear 'relu' before it is added up: relu of a sum is not the sum of the ranks' relu [spmd-partial-nonlinear]
  std::vector<Tensor> t = {torch::relu(y)};
  tp->allreduce(t)->wait();
  return t[0];
}

//===--- Right ------------------------------------------------------------===//

Tensor behind(ALIKE x, COLUMN up, ROW down, TP) {
  std::vector<Tensor> t = {torch::linear(torch::relu(torch::linear(x, up)), down)};
  tp->allreduce(t)->wait();
  return torch::softmax(t[0], -1);
}
Tensor of_columns(ALIKE x, COLUMN up, TP) {
  std::vector<Tensor> t = {torch::exp(torch::linear(x, up)).sum(-1)};
  tp->allreduce(t)->wait();
  return t[0];
}
Tensor looked_at(ALIKE x, COLUMN up, ROW down, TP) {
  auto y = torch::linear(torch::linear(x, up), down);
  auto largest = y.abs().max().item<double>();
  std::vector<Tensor> t = {y};
  tp->allreduce(t)->wait();
  return t[0] / (largest > 100.0 ? 2.0 : 1.0);
}
Tensor not_declared(ALIKE x, [[spmd::type("tp: V")]] Tensor w, TP) {
  std::vector<Tensor> t = {torch::relu(torch::linear(x, w))};
  tp->allreduce(t)->wait();
  return t[0];
}
Tensor of_experts([[spmd::type("tp: V")]] Tensor x, [[spmd::type("tp: S(0)")]] Tensor experts, TP) {
  std::vector<Tensor> t = {torch::sigmoid(torch::bmm(experts, x)).sum(0)};
  tp->allreduce(t)->wait();
  return t[0];
}
