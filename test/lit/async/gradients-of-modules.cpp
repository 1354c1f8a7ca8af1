// The tensors of a module are the same ones each time that they are asked for,
// by name or not: their gradients may still be on their way in a second loop.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <c10d/ProcessGroup.hpp>
#include <memory>
#include <torch/torch.h>
#include <vector>

using Works = std::vector<c10::intrusive_ptr<c10d::Work>>;
struct Net : torch::nn::Module {};

static Works begin(c10d::ProcessGroup &pg, torch::nn::Module &model) {
  Works works;
  for (auto &p : model.parameters()) {
    std::vector<torch::Tensor> one = {p.grad()};
    works.push_back(pg.allreduce(one));
  }
  return works;
}
static void end(Works &works) {
  for (auto &w : works)
    w->wait();
}

void right(c10d::ProcessGroup &pg, std::shared_ptr<Net> model, torch::nn::Module &other) {
  Works works;
  for (const auto &p : model->named_parameters()) {
    std::vector<torch::Tensor> one = {p.value().grad()};
    works.push_back(pg.allreduce(one));
  }
  for (auto &p : other.parameters())
    p.grad().div_(4);
  end(works);
  for (auto &p : model->parameters())
    p.grad().div_(4);
}
void right_elsewhere(c10d::ProcessGroup &pg, torch::nn::Module &model) {
  Works works = begin(pg, model);
  end(works);
  for (auto &p : model.parameters())
    p.grad().div_(4);
}
void values_alone(c10d::ProcessGroup &pg, torch::nn::Module &model) {
  Works works = begin(pg, model);
  for (auto &p : model.parameters())
    p.mul_(0.99);
  end(works);
}

void forgotten(c10d::ProcessGroup &pg, torch::nn::Module &model) {
  Works works;
  for (auto &p : model.parameters()) {
    std::vector<torch::Tensor> one = {p.grad()};
    works.push_back(pg.allreduce(one));
  }
  for (auto &p : model.parameters())
    // CHECK: :[[#@LINE+1]]:5: error: 'one' is written by 'div_' while the 'ProcessGroup::allreduce' of line [[#@LINE-3]] may still use it: no wait for its handle [spmd-async-hazard]
    p.grad().div_(4);
}
void too_late(c10d::ProcessGroup &pg, std::shared_ptr<Net> model) {
  Works works;
  for (auto &p : model->named_parameters()) {
    std::vector<torch::Tensor> one = {p.value().grad()};
    works.push_back(pg.allreduce(one));
  }
  for (auto &p : model->parameters())
    // CHECK: :[[#@LINE+1]]:5: error: 'one' is written by 'div_' while the 'ProcessGroup::allreduce' of line [[#@LINE-3]] may still use it: no wait for its handle [spmd-async-hazard]
    p.grad().div_(4);
  end(works);
}
