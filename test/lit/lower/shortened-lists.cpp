// A list that lost an element, or is not gone over as a whole, leaves a tensor
// of the model out. What takes one after another comes to all, perhaps.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <c10d/ProcessGroup.hpp>
#include <deque>
#include <iterator>
#include <torch/torch.h>
#include <vector>

using Group = c10d::ProcessGroup;
void sum([[spmd::axis("dp")]] Group &pg, torch::Tensor g) {
  std::vector<torch::Tensor> one{g};
  pg.allreduce(one)->wait();
}

void popped([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
            torch::optim::SGD &opt, [[spmd::type("dp: V")]] torch::Tensor x) {
  model->forward(x).mean().backward();
  auto all = model->parameters();
  all.pop_back();
  for (auto &p : all)
    sum(pg, p.grad());
  // CHECK: :[[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}
void erased([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
            torch::optim::SGD &opt, [[spmd::type("dp: V")]] torch::Tensor x) {
  model->forward(x).mean().backward();
  auto all = model->parameters();
  all.erase(all.begin());
  for (size_t i = 0; i < all.size(); i++)
    sum(pg, all[i].grad());
  // CHECK: :[[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}
void ends_early([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
                torch::optim::SGD &opt, [[spmd::type("dp: V")]] torch::Tensor x) {
  model->forward(x).mean().backward();
  auto all = model->parameters();
  for (size_t i = 0; i + 1 < all.size(); i++)
    sum(pg, all[i].grad());
  // CHECK: :[[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}
void begins_late([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
                 torch::optim::SGD &opt, [[spmd::type("dp: V")]] torch::Tensor x) {
  model->forward(x).mean().backward();
  auto all = model->parameters();
  for (auto it = std::next(all.begin()); it != all.end(); ++it)
    sum(pg, it->grad());
  // CHECK: :[[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  opt.step();
}

void the_last_by_itself([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
                        torch::optim::SGD &opt, [[spmd::type("dp: V")]] torch::Tensor x) {
  model->forward(x).mean().backward();
  auto all = model->parameters();
  auto last = all.back();
  all.pop_back();
  for (auto &p : all)
    sum(pg, p.grad());
  sum(pg, last.grad());
  opt.step();
}
void at_times([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
              torch::optim::SGD &opt, [[spmd::type("dp: V")]] torch::Tensor x, bool tied) {
  model->forward(x).mean().backward();
  auto all = model->parameters();
  if (tied)
    all.pop_back();
  for (auto &p : all)
    sum(pg, p.grad());
  opt.step();
}
void drained([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
             torch::optim::SGD &opt, [[spmd::type("dp: V")]] torch::Tensor x) {
  model->forward(x).mean().backward();
  auto all = model->parameters();
  while (!all.empty()) {
    auto p = all.back();
    all.pop_back();
    sum(pg, p.grad());
  }
  opt.step();
}
void in_an_order([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
                 torch::optim::SGD &opt, [[spmd::type("dp: V")]] torch::Tensor x, const std::vector<int> &order) {
  model->forward(x).mean().backward();
  auto all = model->parameters();
  for (int k : order)
    sum(pg, all[k].grad());
  opt.step();
}
