// What is to be done with the ranks' values, however the options are written.
// RUN: not %spmd-tidy %s -- %stubs -Wno-c++20-designator 2>&1 | FileCheck %s --implicit-check-not=error:
#include <torch/torch.h>
#include <c10d/ProcessGroup.hpp>
#include <vector>
void in_place([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: P")]] torch::Tensor g) {
  std::vector<torch::Tensor> tmp = {g};
  // CHECK: :[[#@LINE+1]]:3: error: 'tmp' is P on 'dp', and this all_reduce does not add: what is wanted of the ranks' parts is their sum [spmd-partial-nonlinear]
  pg.allreduce(tmp, c10d::AllreduceOptions{c10d::ReduceOp::MAX})->wait();
}
void braced([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: P")]] torch::Tensor g) {
  std::vector<torch::Tensor> tmp = {g};
  // CHECK: :[[#@LINE+1]]:3: error: 'tmp' is P on 'dp', and this all_reduce does not add: what is wanted of the ranks' parts is their sum [spmd-partial-nonlinear]
  pg.allreduce(tmp, {c10d::ReduceOp::MAX})->wait();
}
void assigned([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: P")]] torch::Tensor g) {
  std::vector<torch::Tensor> tmp = {g};
  c10d::AllreduceOptions o{};
  o.reduceOp = c10d::ReduceOp(c10d::ReduceOp::MAX);
  // CHECK: :[[#@LINE+1]]:3: error: 'tmp' is P on 'dp', and this all_reduce does not add: what is wanted of the ranks' parts is their sum [spmd-partial-nonlinear]
  pg.allreduce(tmp, o)->wait();
}
void designated([[spmd::axis("dp")]] c10d::ProcessGroup &pg, [[spmd::type("dp: P")]] torch::Tensor g) {
  std::vector<torch::Tensor> tmp = {g};
  const c10d::AllreduceOptions o = {.reduceOp = c10d::ReduceOp::MAX};
  // CHECK: :[[#@LINE+1]]:3: error: 'tmp' is P on 'dp', and this all_reduce does not add: what is wanted of the ranks' parts is their sum [spmd-partial-nonlinear]
  pg.allreduce(tmp, o)->wait();
}
