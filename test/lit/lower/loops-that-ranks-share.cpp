// Ranks that meet in each iteration of a loop go round it as often, whatever its
// bounds are made of: none of them leaves it sooner with other weights.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %stubs -DAPART 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
#define ARGUMENTS                                                                                  \
  [[spmd::axis("dp")]] const Group &group, [[spmd::type("dp: R")]] at::Tensor w,                   \
      [[spmd::type("dp: V")]] const at::Tensor &x, int64_t n

static at::Tensor sum(const at::Tensor &g, const Group &group) {
  std::vector<at::Tensor> list{g};
  group->allreduce(list)->wait();
  return list[0];
}

#ifndef APART
void slices(ARGUMENTS) {
  const int64_t rank = group->getRank(), ranks = group->getSize();
  const int64_t rows = n / ranks, begin = rank * rows, end = begin + rows;
  for (int64_t i = begin; i < end; ++i)
    w.sub_(sum(x[i] * w, group));
}
void strides(ARGUMENTS) {
  const int64_t ranks = group->getSize();
  for (int64_t i = group->getRank(); i < n / ranks * ranks; i += ranks) {
    std::vector<at::Tensor> list{x[i] * w};
    group->allreduce(list)->wait();
    w.sub_(list[0]);
  }
}
void overLayers(ARGUMENTS, std::vector<at::Tensor> &grads) {
  const int64_t rows = n / group->getSize();
  int64_t i = group->getRank() * rows, end = i + rows;
  while (i < end) {
    for (at::Tensor &g : grads) {
      std::vector<at::Tensor> list{g};
      group->allreduce(list)->wait();
    }
    w.sub_(sum(x[i] * w, group));
    ++i;
  }
}
#else
// Who meets nobody in its rounds may take more of them.
void steps(ARGUMENTS) {
  const int64_t rows = n + group->getRank();
  at::Tensor g = sum(x * w, group);
  // CHECK: [[#@LINE+1]]:23: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
  for (int64_t i = 0; i < rows; ++i)
    w.sub_(g);
}
#endif
