// What a communicator is handed over as says what it is where it comes from: the
// world, and a group that a class keeps.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c++17 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cstdlib>
#include <memory>
#include <mpi.h>
#include <torch/csrc/distributed/c10d/ProcessGroupMPI.hpp>
#include <torch/torch.h>

using Group = std::shared_ptr<c10d::ProcessGroup>;

void train([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] double *w, int n);

void fillOnRoot(double *w, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    for (int j = 0; j < n; j++)
      w[j] = 0.5;
}
void forgotten(int n) {
  auto *w = static_cast<double *>(std::malloc(n * sizeof(double)));
  fillOnRoot(w, n);
  // CHECK: [[@LINE+1]]:3: error: the argument for 'w' must be R on 'dp', but 'w' is V
  train(MPI_COMM_WORLD, w, n);
}
void sent(int n) {
  auto *w = static_cast<double *>(std::malloc(n * sizeof(double)));
  fillOnRoot(w, n);
  MPI_Bcast(w, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  train(MPI_COMM_WORLD, w, n);
}

struct Trainer {
  Trainer(Group group, torch::nn::Linear net) : group(std::move(group)), net(net) {}
  [[spmd::axis("dp")]] Group group;
  [[spmd::type("dp: R")]] torch::nn::Linear net;
};
void seeded(Group pg) {
  torch::manual_seed(pg->getRank());
  // CHECK: [[@LINE+1]]:45: error: from here on 'net.parameters()' is V on 'dp'
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  Trainer trainer(pg, net);
}
void seededAlike(Group pg) {
  torch::manual_seed(42);
  [[spmd::type("dp: R")]] torch::nn::Linear net(4, 4);
  Trainer trainer(pg, net);
}

// Two say different things: neither is believed.
void overOne([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] double *w);
void overOther([[spmd::axis("tp")]] MPI_Comm comm, [[spmd::type("tp: R")]] double *w);
void doubtful(MPI_Comm comm, double *w, int n) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    w[0] = 0.5;
  overOne(comm, w);
  overOther(comm, w);
}
