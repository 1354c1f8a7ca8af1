// Wrappers that reduce gradients keep the parameters in lists of their own, of
// which nothing is known: what they change may be the gradient of any tensor.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

struct Bucket {
  std::vector<Tensor> params;
  Tensor flat;
};

class Wrapper {
public:
  Wrapper(torch::nn::Linear net, Group dp) : dp(dp) {
    buckets.emplace_back();
    auto params = net->parameters();
    for (auto it = params.begin(); it != params.end(); ++it)
      buckets.back().params.push_back(*it);
  }
  void reduce() {
    for (auto &bucket : buckets) {
      std::vector<Tensor> grads;
      for (auto &p : bucket.params)
        grads.push_back(p.grad().reshape({-1}));
      bucket.flat = at::cat(grads);
      std::vector<Tensor> one{bucket.flat};
      dp->allreduce(one)->wait();
      bucket.flat.div_(dp->getSize());
      for (auto &p : bucket.params)
        p.grad().copy_(bucket.flat.view_as(p));
    }
  }
  void clear() {
    for (auto &bucket : buckets)
      for (auto &p : bucket.params)
        p.grad().zero_();
  }
  double norm() {
    double sum = 0;
    for (auto &bucket : buckets)
      for (auto &p : bucket.params)
        sum += p.grad().numel();
    return sum;
  }

private:
  std::vector<Bucket> buckets;
  [[spmd::axis("dp")]] Group dp;
};

class Listed {
public:
  Listed(torch::nn::Linear net, Group dp) : params(net->parameters()), dp(dp) {}
  void reduce() {
    for (auto &p : params) {
      std::vector<Tensor> one{p.grad()};
      dp->allreduce(one)->wait();
      p.grad().div_(dp->getSize());
    }
  }

private:
  [[spmd::type("dp: R")]] std::vector<Tensor> params;
  [[spmd::axis("dp")]] Group dp;
};

struct Trainer {
  Trainer(Group group)
      : net(8, 8), wrapper(net, group), listed(net, group), optimizer(net->parameters(), 0.1) {}

  void right([[spmd::type("dp: V")]] Tensor x) {
    optimizer.zero_grad();
    net->forward(x).sum().backward();
    wrapper.reduce();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
  }

  void rightByList([[spmd::type("dp: V")]] Tensor x) {
    optimizer.zero_grad();
    net->forward(x).sum().backward();
    listed.reduce();
    optimizer.step();
  }

  // The next backward pass leaves gradients that nobody has reduced.
  void early([[spmd::type("dp: V")]] Tensor x) {
    wrapper.reduce();
    net->forward(x).sum().backward();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    optimizer.step();
    wrapper.reduce();
  }

  // Looking at gradients changes none, nor does clearing them before.
  void lookedAt([[spmd::type("dp: V")]] Tensor x) {
    wrapper.clear();
    net->forward(x).sum().backward();
    wrapper.norm();
    // CHECK: [[#@LINE+1]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
    optimizer.step();
  }

  [[spmd::type("dp: R")]] torch::nn::Linear net;
  Wrapper wrapper;
  Listed listed;
  torch::optim::SGD optimizer;
};
