// What a tensor holds decides, whatever it is read as; its shape does not.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <torch/torch.h>

#define GROUP [[spmd::axis("dp")]] c10d::ProcessGroup &pg
#define OWN [[spmd::type("dp: V")]] at::Tensor x
#define SAME [[spmd::type("dp: R")]] at::Tensor w

void sum(GROUP) {
  std::vector<at::Tensor> one{at::ones({1})};
  // CHECK: [[@LINE+1]]:3: error: not all ranks get to this 'ProcessGroup::allreduce'
  pg.allreduce(one)->wait();
}
void finite(GROUP, OWN) {
  if (!x.isnan().any().item<bool>())
    sum(pg);
}
void sumOfInt(GROUP) {
  std::vector<at::Tensor> one{at::ones({1})};
  // CHECK: [[@LINE+1]]:3: error: not all ranks get to this 'ProcessGroup::allreduce'
  pg.allreduce(one)->wait();
}
void counted(GROUP, OWN) {
  if (x.sum().item<int64_t>() > 3)
    sumOfInt(pg);
}
void sumOfAll(GROUP) {
  std::vector<at::Tensor> one{at::ones({1})};
  pg.allreduce(one)->wait();
}
void alike(GROUP, SAME) {
  if (w.isnan().any().item<bool>())
    sumOfAll(pg);
}
void byShape(GROUP, OWN) {
  if (x.dim() == 2)
    sumOfAll(pg);
}
