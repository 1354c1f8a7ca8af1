// Who waits where there is a handle waits for each there is.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <torch/torch.h>

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
using Work = c10::intrusive_ptr<c10d::Work>;
using Tensors = std::vector<at::Tensor>;

void one(Group pg, at::Tensor x) {
  Tensors t{x};
  Work work = pg->allreduce(t);
  if (work)
    work->wait();
  x.div_(2);
}
void defined(Group pg, at::Tensor x) {
  Tensors t{x};
  Work work = pg->allreduce(t);
  if (work.defined())
    work->wait();
  x.div_(2);
}
void each(Group pg, Tensors &all) {
  std::vector<Work> works;
  for (auto &x : all) {
    Tensors t{x};
    works.push_back(pg->allreduce(t));
  }
  for (auto &w : works)
    if (w)
      w->wait();
  for (auto &x : all)
    x.div_(2);
}
void inTurns(Group pg, at::Tensor a, at::Tensor b, int n) {
  at::Tensor buffers[2] = {a, b};
  Work pending;
  for (int i = 0; i < n; ++i) {
    at::Tensor &now = buffers[i % 2];
    now.normal_();
    Tensors t{now};
    auto next = pg->allreduce(t);
    if (pending)
      pending->wait();
    pending = next;
  }
  if (pending)
    pending->wait();
}
void others(Group pg, at::Tensor x) {
  Tensors t{x};
  Work work, done = pg->allreduce(t);
  if (work)
    work->wait();
  // CHECK: [[@LINE+1]]:3: error: 't' is written by 'div_' while the 'ProcessGroup::allreduce' of line [[@LINE-3]] may still use it
  x.div_(2);
}
