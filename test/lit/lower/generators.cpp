// Random numbers of a generator that each rank seeds differently differ.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>

#include <cstdlib>

void use([[spmd::type("dp: R")]] float *w);
void use_tensor([[spmd::type("dp: R")]] const at::Tensor &w);

float uniform() { return static_cast<float>(rand()) / 100.0f; }

void fill(float *w, int n) {
  for (int i = 0; i < n; ++i)
    w[i] = uniform();
}

void by_rank(float *w, int n, [[spmd::axis("dp")]] MPI_Comm dp) {
  int rank;
  MPI_Comm_rank(dp, &rank);
  srand(42 + rank);
  fill(w, n);
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'w' must be R on 'dp', but 'w' is V
  use(w);
}

// Ranks that were seeded alike may have drawn differently since: unknown.
void alike(float *w, int n) {
  srand(42);
  fill(w, n);
  use(w);
}
void unseeded(float *w, int n) {
  fill(w, n);
  use(w);
}

void seeded_again(float *w, int n, [[spmd::axis("dp")]] MPI_Comm dp) {
  int rank;
  MPI_Comm_rank(dp, &rank);
  srand(rank);
  srand(42);
  fill(w, n);
  use(w);
}

void of_torch([[spmd::axis("dp")]] MPI_Comm dp) {
  int rank;
  MPI_Comm_rank(dp, &rank);
  torch::manual_seed(rank);
  at::Tensor w = torch::randn({4});
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'w' must be R on 'dp', but 'w' is V
  use_tensor(w);
}

// What is broadcast is the same again.
void shared(float *w, int n, [[spmd::axis("dp")]] MPI_Comm dp) {
  int rank;
  MPI_Comm_rank(dp, &rank);
  srand(rank);
  fill(w, n);
  MPI_Bcast(w, n, MPI_FLOAT, 0, dp);
  use(w);
}
