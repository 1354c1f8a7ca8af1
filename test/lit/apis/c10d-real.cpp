// The table of c10d against its own headers.
// REQUIRES: torch
// RUN: not %spmd-tidy %s -- %torch -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
using at::Tensor;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

void reduced([[spmd::type("dp: P -> dp: R")]] Tensor &g, [[spmd::axis("dp")]] Group pg) {
  std::vector<Tensor> all{g};
  c10d::AllreduceOptions options;
  options.reduceOp = c10d::ReduceOp::SUM;
  pg->allreduce(all, options)->wait();
  pg->barrier()->wait();
}
void largest([[spmd::type("dp: P -> dp: R")]] Tensor &g, [[spmd::axis("dp")]] Group pg) {
  std::vector<Tensor> all{g};
  c10d::AllreduceOptions options;
  options.reduceOp = c10d::ReduceOp::MAX;
  pg->allreduce(all, options)->wait();
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'all' is P on 'dp', and this all_reduce does not add{{.*}} [spmd-partial-nonlinear]
}
void gathered([[spmd::type("dp: R")]] Tensor &all, [[spmd::type("dp: R")]] Tensor &mine, [[spmd::axis("dp")]] Group pg) {
  pg->_allgather_base(all, mine)->wait();
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: all_gather on 'dp' takes V, but 'mine' is R{{.*}} [spmd-src-type]
}
void received([[spmd::type("dp: R")]] Tensor x, [[spmd::axis("dp")]] Group pg) {
  std::vector<Tensor> all{x};
  pg->recv(all, 0, 0)->wait();
}
[[spmd::type("dp: V")]] Tensor partOf([[spmd::type("dp: R")]] const Tensor &x, [[spmd::axis("dp")]] Group pg) {
  return x[pg->getRank()];
}
