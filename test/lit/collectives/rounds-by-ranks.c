// A loop whose step is a number of ranks has the same rounds on all of them,
// and need not be run to its end.
// RUN: %spmd-tidy --quiet --strict %s -- -DLAST=workers -isystem %stubs-dir 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- '-DLAST=workers - 1' -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

static const int samples = 60000;
static double w[100], sum[100];

int main(int argc, char **argv) {
  int rank, workers;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &workers);
  workers--;
  for (int i = 0; i < samples; i = i + workers * 10) {
    if (rank != 0) {
      MPI_Send(w, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(w, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      for (int j = 1; j <= LAST; j++)
        MPI_Recv(sum, 100, MPI_DOUBLE, j, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int j = 1; j <= LAST; j++)
        MPI_Send(w, 100, MPI_DOUBLE, j, 0, MPI_COMM_WORLD);
    }
  }
  // CHECK: :[[#@LINE+1]]:3: error: some ranks are in this 'MPI_Finalize' and others in 'MPI_Send', which do not match
  MPI_Finalize();
}
