// Loops that only compute take no steps from those that communicate, however
// long they are, and a program is looked at to its end.
// RUN: not %spmd-tidy --strict --quiet %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

#include <mpi.h>

enum { In = 784, Hidden = 256, Batches = 195, Epochs = 100 };

static void multiply(float *A, float *B, float *C, int M, int N, int K) {
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k)
        sum += A[i * K + k] * B[k * N + j];
      C[i * N + j] = sum;
    }
}

static void fill(float *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] = 0;
}

int main(int argc, char **argv) {
  static float w[In * Hidden], dw[In * Hidden], b[Hidden], x[64 * In], h[64 * Hidden];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fill(w, In * Hidden);
  MPI_Bcast(w, In * Hidden, MPI_FLOAT, 0, MPI_COMM_WORLD);
  for (int epoch = 0; epoch < Epochs; ++epoch) {
    for (int batch = 0; batch < Batches; ++batch) {
      fill(x, 64 * In);
      multiply(x, w, h, 64, Hidden, In);
      multiply(x, h, dw, In, Hidden, 64);
      if (rank == 0)
        // CHECK: [[#@LINE+3]]:9: error: not all ranks get to this 'MPI_Allreduce', and those that do wait for the others: with 2 ranks: rank 0 waits in MPI_Allreduce, line [[#@LINE+3]]; rank 1 waits in MPI_Allreduce, line [[#@LINE+6]] [spmd-divergent-collective]
        // CHECK: [[#@LINE+5]]:7: note: other ranks are in this MPI_Allreduce
        // CHECK: [[#@LINE-3]]:7: note: the ways of the ranks part here
        MPI_Allreduce(MPI_IN_PLACE, dw, In * Hidden, MPI_FLOAT, MPI_SUM,
                      MPI_COMM_WORLD);
      fill(b, Hidden);
      MPI_Allreduce(MPI_IN_PLACE, b, Hidden, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}

// A rank that is one call ahead of the others is found where it went ahead,
// though the calls that follow match each other, and each count is unknown.
static void ahead(int rank, double *x, int n, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0)
      // CHECK: [[#@LINE+1]]:7: error: not all ranks get to this 'MPI_Allreduce', and those that do wait for the others: with 2 ranks and rounds >= 1: rank 0 waits in MPI_Allreduce, line [[#@LINE+1]]; rank 1 waits in MPI_Allreduce, line [[#@LINE+4]] [spmd-divergent-collective]
      MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    // CHECK: [[#@LINE+2]]:5: note: other ranks are in this MPI_Allreduce
    // CHECK: [[#@LINE-4]]:5: note: the ways of the ranks part here
    MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}
// What is unknown and what follows from it are two numbers.
static void counts(double *x, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(x, n + rank, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // CHECK: [[#@LINE-1]]:3: error: the count of this 'MPI_Bcast' is not the same on all ranks
}
void both(double *x, int n, int rounds) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ahead(rank, x, n, rounds);
}
void second(double *x, int n) { counts(x, n); }
