// The gradients of a root that sums in place: one rank has the sum.
// RUN: %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %spmd-tidy %s -- %stubs -DWRONG 2>&1 | FileCheck %s --implicit-check-not=error:
// RIGHT: no findings; 100 % of 10 tensor expressions typed on dp
#include <mpi.h>
#include <torch/torch.h>

void train([[spmd::type("dp: V")]] torch::Tensor x, [[spmd::axis("dp")]] MPI_Comm comm, bool all) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  [[spmd::type("dp: R")]] torch::nn::Linear model(3, 4);
  torch::optim::SGD opt(model->parameters(), 0.1);
  model->forward(x).sum().backward();
  for (auto &p : model->parameters()) {
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : p.grad().data_ptr(), p.grad().data_ptr(), p.grad().numel(), MPI_FLOAT,
               MPI_SUM, 0, comm);
#ifndef WRONG
    MPI_Bcast(p.grad().data_ptr(), p.grad().numel(), MPI_FLOAT, 0, comm);
#endif
  }
  // CHECK: [[@LINE+1]]:3: error: from here on 'model.parameters()' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
  opt.step();
}
