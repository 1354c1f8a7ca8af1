// What an iteration leaves may be known to nobody; the first one begins with
// what was there before.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

/// Nobody knows whose parameters these are.
struct Bucket {
  std::vector<Tensor> params;
  Tensor flat;
};

struct Trainer {
  void reduce() {
    for (auto &bucket : buckets) {
      std::vector<Tensor> grads;
      for (auto &p : bucket.params)
        grads.push_back(p.grad().reshape({-1}));
      std::vector<Tensor> list = {torch::cat(grads)};
      group->allreduce(list)->wait();
      for (auto &p : bucket.params)
        p.grad().copy_(list[0].narrow(0, 0, 4));
    }
  }
  bool isSmall() {
    bool all = true;
    for (auto &p : net->parameters())
      // CHECK: [[#@LINE+1]]:20: error: 'p.grad()' is P on 'dp' and enters the non-linear 'abs': {{.*}} [spmd-partial-nonlinear]
      all = all && torch::abs(p.grad()).max().item<double>() < 1000;
    return all;
  }
  /// Accumulates over several batches.
  void backward(Tensor x) {
    for (int i = 0; i < 4; ++i)
      net->forward(x).sum().backward();
  }
  void right([[spmd::type("dp: V")]] Tensor x) {
    for (int step = 0; step < 100; ++step) {
      net->zero_grad();
      backward(x);
      reduce();
      isSmall();
    }
  }
  void late([[spmd::type("dp: V")]] Tensor x) {
    for (int step = 0; step < 100; ++step) {
      net->zero_grad();
      backward(x);
      // CHECK: [[#@LINE+1]]:7: note: with the types of this call in 'Trainer::late'
      isSmall();
      reduce();
    }
  }
  [[spmd::type("dp: R")]] torch::nn::Linear net{nullptr};
  [[spmd::axis("dp")]] Group group;
  std::vector<Bucket> buckets;
};

Tensor load();

void first([[spmd::axis("dp")]] Group dp, [[spmd::type("dp: P")]] Tensor sum) {
  // CHECK: [[#@LINE+4]]:5: error: 'sum' is P on 'dp' and enters the non-linear 'relu': {{.*}} [spmd-partial-nonlinear]
  // CHECK: [[#@LINE+2]]:10: note: in the first iteration
  int n = 10;
  while (n-- != 0) {
    torch::relu(sum);
    std::vector<Tensor> list = {sum};
    dp->allreduce(list)->wait();
    sum = load();
  }
}
