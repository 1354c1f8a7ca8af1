// What is declared to be the same on all ranks, and differs where it is read:
// only some ranks changed it, or each drew first values of its own. That a
// later broadcast makes it whole again does not mend what was read before.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

#include <memory>

[[spmd::axis("dp")]] extern MPI_Comm comm;
[[spmd::type("dp: V")]] at::Tensor next();

static void send(torch::nn::Sequential &net) {
  for (auto &p : net->parameters())
    MPI_Bcast(p.data_ptr(), (int)p.numel(), MPI_FLOAT, 0, comm);
}

at::Tensor changed_by_one([[spmd::type("dp: R")]] at::Tensor w, int rank,
                          at::Tensor x) {
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    w.mul_(2);
  // CHECK: [[#@LINE+3]]:18: error: 'w' is V on 'dp' where 'matmul' reads it, and is declared to be the same on all ranks: the ranks hold different values, which are taken for one [spmd-contract]
  // CHECK: [[#@LINE-3]]:7: note: 'w' is V on 'dp': on one way it is R, and the ranks go different ways here
  // CHECK: [[#@LINE-7]]:40: note: declared to be R or I on 'dp' here
  at::Tensor y = at::matmul(next(), w);
  MPI_Bcast(w.data_ptr(), (int)w.numel(), MPI_FLOAT, 0, comm);
  return y;
}
at::Tensor sent_before([[spmd::type("dp: R")]] at::Tensor w) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    w.mul_(2);
  MPI_Bcast(w.data_ptr(), (int)w.numel(), MPI_FLOAT, 0, comm);
  return at::matmul(next(), w);
}
at::Tensor drawn() {
  int rank;
  MPI_Comm_rank(comm, &rank);
  torch::manual_seed(rank);
  [[spmd::type("dp: R")]] torch::nn::Sequential net(torch::nn::Linear(3, 4));
  // CHECK: [[#@LINE+1]]:18: error: 'net.parameters()' is V on 'dp' where 'Sequential' reads it, and is declared to be the same on all ranks
  at::Tensor y = net->forward(next());
  send(net);
  return y;
}
at::Tensor drawn_and_sent() {
  int rank;
  MPI_Comm_rank(comm, &rank);
  torch::manual_seed(rank);
  [[spmd::type("dp: R")]] torch::nn::Sequential net(torch::nn::Linear(3, 4));
  send(net);
  return net->forward(next());
}
// A copy is not used yet, and one rank may do with it what it likes.
void saved([[spmd::type("dp: R")]] at::Tensor w) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  at::Tensor before = w.clone();
  if (rank == 0)
    before.mul_(2);
  at::matmul(next(), before);
}
// Of each iteration what the one before has left.
void again([[spmd::type("dp: R")]] at::Tensor w, int steps) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int step = 0; step < steps; ++step) {
    // CHECK: [[#@LINE+2]]:20: error: 'w' is V on 'dp' where 'matmul' reads it, and is declared to be the same on all ranks: the ranks hold different values, which are taken for one [spmd-contract]
    // CHECK: [[#@LINE-2]]:22: note: in iterations after the first
    at::Tensor y = at::matmul(next(), w);
    MPI_Allreduce(MPI_IN_PLACE, y.data_ptr(), (int)y.numel(), MPI_FLOAT,
                  MPI_SUM, comm);
    if (rank == 0)
      w.mul_(2);
  }
  MPI_Bcast(w.data_ptr(), (int)w.numel(), MPI_FLOAT, 0, comm);
}
