// A bias is added once to each row: that ranks have other rows, and that a
// metric sums over them, counts it no more often. Terms of a sum are products
// of shards.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

[[spmd::axis("dp")]] extern MPI_Comm comm;

void metric([[spmd::type("dp: R")]] torch::nn::Linear &net,
            [[spmd::type("dp: V")]] at::Tensor x) {
  at::Tensor loss = net->forward(x).sum();
  MPI_Allreduce(MPI_IN_PLACE, loss.data_ptr(), 1, MPI_FLOAT, MPI_SUM, comm);
}
void shards([[spmd::type("dp: V")]] at::Tensor weight,
            [[spmd::type("dp: R")]] at::Tensor bias,
            [[spmd::type("dp: V")]] at::Tensor x) {
  // CHECK: [[#@LINE+1]]:18: error: 'bias' is R and is added to
  at::Tensor y = at::linear(x, weight, bias);
  MPI_Allreduce(MPI_IN_PLACE, y.data_ptr(), (int)y.numel(), MPI_FLOAT, MPI_SUM,
                comm);
}
