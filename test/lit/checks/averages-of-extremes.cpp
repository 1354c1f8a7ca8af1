// An average needs the sum of the ranks' values: what max or min made is not to
// be divided by their number, nor the other way round.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#define USE_C10D_MPI
#include <mpi.h>
#include <torch/csrc/distributed/c10d/ProcessGroupMPI.hpp>
#include <torch/torch.h>

#include <vector>

[[spmd::axis("dp")]] extern MPI_Comm comm;

void largest([[spmd::type("dp: V -> dp: R")]] float *gradient, int n) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  MPI_Allreduce(MPI_IN_PLACE, gradient, n, MPI_FLOAT, MPI_MAX, comm);
  for (int i = 0; i < n; ++i)
    // CHECK: [[#@LINE+1]]:5: error: 'gradient[i]' is divided by the number of ranks of 'dp', and the collective that made it did not add: an average is made of the sum of the ranks' values [spmd-partial-nonlinear]
    gradient[i] /= ranks;
}
void sum([[spmd::type("dp: V -> dp: R")]] float *gradient, int n) {
  int ranks;
  MPI_Comm_size(comm, &ranks);
  MPI_Allreduce(MPI_IN_PLACE, gradient, n, MPI_FLOAT, MPI_SUM, comm);
  for (int i = 0; i < n; ++i)
    gradient[i] /= ranks;
}
void tensors([[spmd::type("dp: V")]] std::vector<at::Tensor> gradients,
             [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg) {
  c10d::AllreduceOptions options;
  options.reduceOp = c10d::ReduceOp::MAX;
  for (at::Tensor &g : gradients) {
    std::vector<at::Tensor> one = {g};
    pg->allreduce(one, options)->wait();
    // CHECK: [[#@LINE+1]]:5: error: 'g' is divided by the number of ranks of 'dp', and the collective that made it did not add
    g.div_(pg->getSize());
  }
}
void shares_first([[spmd::type("dp: V")]] at::Tensor gradient,
                  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg) {
  c10d::AllreduceOptions options;
  options.reduceOp = c10d::ReduceOp::MAX;
  gradient.div_(pg->getSize());
  std::vector<at::Tensor> one = {gradient};
  // CHECK: [[#@LINE+1]]:3: error: 'one' was divided by the number of ranks of 'dp', as for an average, and this all_reduce does not add: what is wanted of the ranks' shares is their sum [spmd-partial-nonlinear]
  pg->allreduce(one, options)->wait();
}
void copies_of_shares([[spmd::type("dp: V")]] at::Tensor gradient,
                      [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg) {
  c10d::AllreduceOptions options;
  options.reduceOp = c10d::ReduceOp::MAX;
  at::Tensor share = gradient / pg->getSize();
  std::vector<at::Tensor> one = {share};
  // CHECK: [[#@LINE+1]]:3: error: 'one' was divided by the number of ranks of 'dp', as for an average, and this all_reduce does not add
  pg->allreduce(one, options)->wait();
}
// The largest number may well be shared out, and be a largest one.
void work([[spmd::type("dp: V")]] int mine,
          [[spmd::type("dp: V")]] at::Tensor x) {
  int ranks, most;
  MPI_Comm_size(comm, &ranks);
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, comm);
  for (int i = 0; i < most / ranks; ++i)
    x.mul_(2);
  MPI_Allreduce(MPI_IN_PLACE, x.data_ptr(), (int)x.numel(), MPI_FLOAT, MPI_MAX, comm);
  x.div_(2);
}
