// An optimizer that a function gets beside one model is that model's: what a
// step changes is the model, also where both are parts of what a map has.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <c10d/ProcessGroup.hpp>
#include <memory>
#include <string>
#include <torch/torch.h>
#include <unordered_map>
#include <vector>

using Group = c10d::ProcessGroup;
struct Comm {
  void allreduce([[spmd::type("dp: P -> dp: I")]] std::vector<torch::Tensor> &tensors) const;
};
struct Pack {
  [[spmd::type("dp: R")]] std::shared_ptr<torch::nn::LinearImpl> model;
  std::shared_ptr<torch::optim::Optimizer> optimizer;
  [[spmd::axis("dp")]] std::shared_ptr<Group> group;
};
std::unordered_map<std::string, Pack> packs;

static void reduce([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model) {
  for (const auto &p : model->parameters()) {
    std::vector<torch::Tensor> one = {p.grad()};
    pg.allreduce(one)->wait();
  }
}

void right([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
           torch::optim::Optimizer &opt, [[spmd::type("dp: V")]] torch::Tensor x,
           [[spmd::type("dp: V")]] int rank) {
  opt.zero_grad();
  auto loss = model->forward(x).mean();
  loss.backward();
  reduce(pg, model);
  opt.step();
  if (rank == 0)
    opt.zero_grad();
}
// In a step outside of autograd, I and R are the same.
void invariant(const Comm &comm, [[spmd::type("dp: R")]] torch::nn::Linear model, torch::optim::Optimizer &opt,
               [[spmd::type("dp: V")]] torch::Tensor x) {
  model->forward(x).mean().backward();
  std::vector<torch::Tensor> gradients;
  for (const auto &p : model->parameters())
    gradients.push_back(p.grad());
  comm.allreduce(gradients);
  opt.step();
}
void one_rank_steps([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
                    torch::optim::Optimizer &opt, [[spmd::type("dp: V")]] torch::Tensor x,
                    [[spmd::type("dp: V")]] int rank) {
  opt.zero_grad();
  model->forward(x).mean().backward();
  reduce(pg, model);
  // CHECK: :[[#@LINE+1]]:7: error: from here on 'model.parameters()' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
  if (rank == 0)
    opt.step();
}
void by_its_own_loss([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
                     torch::optim::Optimizer &opt, [[spmd::type("dp: V")]] torch::Tensor x) {
  auto loss = model->forward(x).mean();
  loss.backward();
  reduce(pg, model);
  // CHECK: :[[#@LINE+1]]:7: error: from here on 'model.parameters()' is V on 'dp'
  if (loss.item<float>() < 10)
    opt.step();
}
void cleared([[spmd::axis("dp")]] Group &pg, [[spmd::type("dp: R")]] torch::nn::Linear model,
             torch::optim::Optimizer &opt, [[spmd::type("dp: V")]] torch::Tensor x) {
  model->forward(x).mean().backward();
  reduce(pg, model);
  opt.zero_grad();
  // CHECK: :[[#@LINE+1]]:3: error: this 'step' updates 'opt.parameters()' by gradients that are nothing but zeros, on every rank: they were cleared behind the backward pass [spmd-backward-type]
  opt.step();
}

void registered(const char *name, [[spmd::type("dp: V")]] torch::Tensor x, [[spmd::type("dp: V")]] int rank) {
  auto model = packs[name].model;
  auto opt = packs[name].optimizer;
  opt->zero_grad();
  auto loss = model->forward(x).mean();
  loss.backward();
  for (const auto &p : model->parameters()) {
    std::vector<torch::Tensor> one = {p.grad()};
    packs[name].group->allreduce(one)->wait();
  }
  opt->step();
}
void registered_on_one_rank(const char *name, [[spmd::type("dp: V")]] torch::Tensor x,
                            [[spmd::type("dp: V")]] int rank) {
  auto model = packs[name].model;
  auto opt = packs[name].optimizer;
  auto loss = model->forward(x).mean();
  loss.backward();
  for (const auto &p : model->parameters()) {
    std::vector<torch::Tensor> one = {p.grad()};
    packs[name].group->allreduce(one)->wait();
  }
  // CHECK: :[[#@LINE+2]]:7: error: from here on 'model.parameters()' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
  // CHECK: note: declared to be R on 'dp' here
  if (rank == 0)
    opt->step();
}
// One way that nothing is known of does not hide it.
void cleared_at_times(const char *name, [[spmd::type("dp: V")]] torch::Tensor x, int step, int every) {
  auto model = packs[name].model;
  auto opt = packs[name].optimizer;
  if (step % every == 0)
    opt->zero_grad();
  model->forward(x).mean().backward();
  if ((step + 1) % every == 0) {
    for (const auto &p : model->parameters()) {
      std::vector<torch::Tensor> one = {p.grad()};
      packs[name].group->allreduce(one)->wait();
    }
    opt->zero_grad();
    // CHECK: :[[#@LINE+1]]:5: error: this 'step' updates 'opt.parameters()' by gradients that are nothing but zeros, on every rank: they were cleared behind the backward pass [spmd-backward-type]
    opt->step();
  }
}
// A temporary string lives on behind the condition, whose value is one test.
void reduced_in_other_steps(const char *name, [[spmd::type("dp: V")]] torch::Tensor x, int step, int every) {
  auto model = packs[name].model;
  auto opt = packs[name].optimizer;
  model->forward(x).mean().backward();
  // CHECK: :[[#@LINE+9]]:5: error: 'the gradients' is P on 'dp' and enters the non-linear 'step'
  // CHECK: note: on the way where 'step % 2' is 0
  if ((step + 1) % every == 0) {
    if (packs[name].group && step % 2) {
      for (const auto &p : model->parameters()) {
        std::vector<torch::Tensor> one = {p.grad()};
        packs[name].group->allreduce(one)->wait();
      }
    }
    opt->step();
  }
}
void reduced_where_there_is_a_group(const char *name, [[spmd::type("dp: V")]] torch::Tensor x) {
  auto model = packs[name].model;
  auto opt = packs[name].optimizer;
  model->forward(x).mean().backward();
  if (packs[name].group && packs[name].group->getSize() > 1) {
    for (const auto &p : model->parameters()) {
      std::vector<torch::Tensor> one = {p.grad()};
      packs[name].group->allreduce(one)->wait();
    }
  }
  opt->step();
}
