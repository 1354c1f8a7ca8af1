// Buckets: what is put into one of a list of lists is in it.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/torch.h>

#include <vector>

using torch::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

[[spmd::type("dp: V")]] Tensor batch(int i);

void inBuckets([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD optimizer(params, 0.1);
  std::vector<std::vector<Tensor>> buckets(1);
  int64_t numbers = 0;
  for (auto it = params.rbegin(); it != params.rend(); ++it) {
    if (numbers + it->numel() > 1000) {
      buckets.emplace_back();
      numbers = 0;
    }
    buckets.back().push_back(*it);
    numbers += it->numel();
  }
  for (int i = 0; i < 100; ++i) {
    optimizer.zero_grad();
    model->forward(batch(i)).sum().backward();
    for (auto &bucket : buckets) {
      std::vector<Tensor> parts;
      for (auto &p : bucket)
        parts.push_back(p.grad().flatten());
      auto flat = torch::cat(parts);
      std::vector<Tensor> one{flat};
      group->allreduce(one)->wait();
      int64_t at = 0;
      for (auto &p : bucket) {
        p.mutable_grad() = flat.narrow(0, at, p.numel()).view(p.sizes());
        at += p.numel();
      }
    }
    optimizer.step();
  }
}

void notWrittenBack([[spmd::axis("dp")]] Group group) {
  [[spmd::type("dp: R")]] torch::nn::Linear model(8, 8);
  auto params = model->parameters();
  torch::optim::SGD optimizer(params, 0.1);
  std::vector<std::vector<Tensor>> buckets(1);
  for (auto &p : params)
    buckets.back().push_back(p);
  model->forward(batch(0)).sum().backward();
  for (auto &bucket : buckets) {
    std::vector<Tensor> parts;
    for (auto &p : bucket)
      parts.push_back(p.grad().flatten());
    std::vector<Tensor> one{torch::cat(parts)};
    group->allreduce(one)->wait();
  }
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  optimizer.step();
}
