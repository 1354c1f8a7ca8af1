// A raw call goes over another communicator of its own kind, or none is named.
// RUN: not %spmd-tidy --fix-dry-run %s -- %stubs 2> /dev/null | FileCheck %s

#include <nccl.h>
#include <spmd/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
using at::Tensor;

struct Parallel {
  [[spmd::axis("dp")]] spmd::Axis dp;
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> dpGroup;
  [[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> tpGroup;
  [[spmd::axis("dp")]] ncclComm_t dpComm;
};

void group(Parallel &p, [[spmd::type("dp: R, tp: P -> dp: R, tp: R")]] Tensor &x) {
  std::vector<Tensor> list{x};
  p.dpGroup->allreduce(list)->wait();
  // CHECK: {{^}}-  p.dpGroup->allreduce(list)->wait();
  // CHECK: {{^}}+  p.tpGroup->allreduce(list)->wait();
}
void comm(Parallel &p, [[spmd::type("dp: R, tp: P -> dp: R, tp: R")]] float *x, cudaStream_t s) {
  ncclAllReduce(x, x, 1, ncclFloat, ncclSum, p.dpComm, s);
  // CHECK-NOT: {{^}}+{{.*}}ncclAllReduce
}
[[spmd::type("dp: R, tp: R")]] Tensor axis(Parallel &p, [[spmd::type("dp: R, tp: P")]] const Tensor &x) {
  return spmd::all_reduce(x, p.dp, spmd::P, spmd::R);
  // CHECK: {{^}}+  return spmd::all_reduce(x, p.tp, spmd::P, spmd::R);
}
