// A whole number that is declared to be other on the ranks of several axes may
// be the rank: what remains of it may be the same along one of them.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>
using torch::Tensor;

//===--- Right ------------------------------------------------------------===//

// Ranks are numbered row by row in a dp x tp mesh.
void groups([[spmd::type("dp: V, tp: V")]] int rank, int tp_size) {
  [[spmd::type("dp: V, tp: R")]] const int dp_rank = rank / tp_size;
  [[spmd::type("dp: R, tp: V")]] const int tp_rank = rank % tp_size;
  (void)dp_rank, (void)tp_rank;
}

// The first stage alone changes it, on all of its dp ranks.
void tie([[spmd::type("dp: V, pp: V")]] int rank, int pp_size) {
  [[spmd::type("pp: V")]] const int pp_rank = rank % pp_size;
  [[spmd::type("dp: R")]] Tensor weight = torch::zeros({8});
  if (pp_rank == 0)
    weight.mul_(2);
}

int launched();
void local(int tp_size) {
  [[spmd::type("dp: V, tp: V")]] const int rank = launched();
  [[spmd::type("dp: V, tp: R")]] const int dp_rank = (rank + 1) / tp_size;
  (void)dp_rank;
}

struct Place {
  [[spmd::type("dp: V, tp: V")]] int rank;
  void row(int tp_size) {
    [[spmd::type("dp: V, tp: R")]] const int dp_rank = rank / tp_size;
    (void)dp_rank;
  }
};

//===--- What is found ----------------------------------------------------===//

// The rank itself differs along each axis.
void whole([[spmd::type("dp: V, tp: V")]] int rank) {
  [[spmd::type("dp: V, tp: R")]] const int row = rank + 1;
  // CHECK: [[#@LINE-1]]:50: error: the value of 'row' must be R on 'tp', but 'rank + 1' is V{{.*}} [spmd-contract]
  (void)row;
}

// So does what is no whole number,
void loss([[spmd::type("dp: V, tp: V")]] float sum, int n) {
  [[spmd::type("dp: V, tp: R")]] const float mean = sum / n;
  // CHECK: [[#@LINE-1]]:53: error: the value of 'mean' must be R on 'tp', but 'sum / n' is V{{.*}} [spmd-contract]
  (void)mean;
}

// and what is left of one that differs along one axis.
void one([[spmd::type("dp: V")]] int rank) {
  [[spmd::type("dp: R")]] const int half = rank / 2;
  // CHECK: [[#@LINE-1]]:44: error: the value of 'half' must be R on 'dp', but 'rank / 2' is V{{.*}} [spmd-contract]
  (void)half;
}

// What the rank in a communicator is that nobody described, its variable says.
void seededAlike() {
  [[spmd::type("dp: V")]] int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  torch::manual_seed(1);
  [[spmd::type("dp: R")]] torch::nn::Linear model(3, 4);
  torch::manual_seed(rank);
}
void seededByRank() {
  [[spmd::type("dp: V")]] int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  torch::manual_seed(rank);
  // CHECK: [[#@LINE+1]]:45: error: from here on 'model.parameters()' is V on 'dp'
  [[spmd::type("dp: R")]] torch::nn::Linear model(3, 4);
}
void changedOnOne() {
  [[spmd::type("dp: V")]] int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // CHECK: [[#@LINE+2]]:7: error: from here on 'weight' is V on 'dp'
  [[spmd::type("dp: R")]] Tensor weight = torch::zeros({8});
  if (rank == 0)
    weight.mul_(2);
}
