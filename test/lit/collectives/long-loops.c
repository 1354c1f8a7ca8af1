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
