// Owners update their elements in one loop, and another one broadcasts all of
// them: each loop has a variable of its own.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DDROPPED %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

struct Parameter {
  [[spmd::type("dp: R")]] at::Tensor w;
  at::Tensor grad, momentum;
  int owner;
};

static void sum(at::Tensor &g, const Group &group) {
  std::vector<at::Tensor> list = {g};
  group->allreduce(list)->wait();
}
static void share(at::Tensor &w, int owner, const Group &group) {
  std::vector<at::Tensor> list = {w};
  c10d::BroadcastOptions options;
  options.rootRank = owner;
  group->broadcast(list, options)->wait();
}

void step(std::vector<Parameter> &all, [[spmd::type("dp: V")]] const at::Tensor &x,
          [[spmd::axis("dp")]] const Group &group) {
  for (Parameter &p : all)
    p.grad = x * p.w;
  for (Parameter &p : all)
    sum(p.grad, group);
  for (Parameter &p : all)
    // CHECK: [[#@LINE+1]]:9: error: from here on 'p.w' is V on 'dp', and nothing makes it R again
    if (p.owner == group->getRank()) {
      p.momentum = p.momentum * 0.9 + p.grad;
      p.w.sub_(p.momentum);
    }
#ifndef DROPPED
  for (Parameter &p : all) {
    std::vector<at::Tensor> list = {p.w};
    c10d::BroadcastOptions options;
    options.rootRank = p.owner;
    group->broadcast(list, options)->wait();
  }
#endif
}

#ifndef DROPPED
void stepByHelper(std::vector<Parameter> &all, [[spmd::type("dp: V")]] const at::Tensor &x,
                  [[spmd::axis("dp")]] const Group &group) {
  for (Parameter &p : all)
    p.grad = x * p.w;
  for (Parameter &p : all)
    sum(p.grad, group);
  for (Parameter &p : all)
    if (p.owner == group->getRank())
      p.w.sub_(p.grad);
  for (Parameter &p : all)
    share(p.w, p.owner, group);
}
#endif
