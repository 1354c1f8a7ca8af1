// A list that is made of all elements of another is another name of it, so
// that what is done to its tensors is done to those.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

static void reduce(Group group, const std::vector<Tensor> &list) {
  for (const auto &p : list) {
    std::vector<Tensor> one = {p.grad()};
    group->allreduce(one)->wait();
  }
}

void all([[spmd::axis("dp")]] Group dp, [[spmd::type("dp: R")]] torch::nn::Linear model, Tensor loss) {
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  loss.backward();
  std::vector<Tensor> list;
  for (auto &p : model->parameters())
    list.push_back(p);
  reduce(dp, list);
  optimizer.step();
}

void gradients([[spmd::axis("dp")]] Group dp, [[spmd::type("dp: R")]] torch::nn::Linear model, Tensor loss) {
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  loss.backward();
  std::vector<Tensor> list;
  for (const auto &p : model->parameters()) {
    if (!p.grad().defined())
      continue;
    list.push_back(p.grad());
  }
  for (auto &g : list) {
    std::vector<Tensor> one = {g};
    dp->allreduce(one)->wait();
    g.div_(dp->getSize());
  }
  optimizer.step();
}

void tooLate([[spmd::axis("dp")]] Group dp, [[spmd::type("dp: R")]] torch::nn::Linear model, Tensor loss) {
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  loss.backward();
  std::vector<Tensor> list;
  for (auto &p : model->parameters())
    list.push_back(p);
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  optimizer.step();
  reduce(dp, list);
}

void copies([[spmd::axis("dp")]] Group dp, [[spmd::type("dp: R")]] torch::nn::Linear model, Tensor loss) {
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  loss.backward();
  std::vector<Tensor> list;
  for (auto &p : model->parameters())
    list.push_back(p.grad().clone());
  for (auto &g : list) {
    std::vector<Tensor> one = {g};
    dp->allreduce(one)->wait();
  }
  // CHECK: [[#@LINE+1]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  optimizer.step();
}

// Of some, nothing is known of the others.
void half([[spmd::axis("dp")]] Group dp, [[spmd::type("dp: R")]] torch::nn::Linear model, Tensor loss) {
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  loss.backward();
  std::vector<Tensor> list;
  for (auto &p : model->parameters()) {
    Tensor g = p.grad();
    if (g.dim() > 1)
      list.push_back(g);
  }
  for (auto &g : list) {
    std::vector<Tensor> one = {g};
    dp->allreduce(one)->wait();
  }
  // CHECK: [[#@LINE+2]]:3: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  // CHECK: note: for the elements where 'g.dim()' is at most 1
  optimizer.step();
}
