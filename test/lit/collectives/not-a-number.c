// What is not equal to itself is not a number, as `isnan` says.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

void parted(float *x) {
  float sum = 0, mine;
  MPI_Scatter(x, 1, MPI_FLOAT, &mine, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
  if (mine != mine)
    return;
  // CHECK: [[#@LINE+1]]:3: error: not all ranks get to this 'MPI_Allreduce'{{.*}} [spmd-divergent-collective]
  MPI_Allreduce(&mine, &sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

void together(float *x) {
  float sum = 0;
  MPI_Allreduce(x, &sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  if (sum != sum)
    return;
  MPI_Allreduce(x, &sum, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
}

// No number differs from itself.
void whole(const int *x, int *y) {
  int mine;
  MPI_Scatter(x, 1, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (mine != mine)
    return;
  MPI_Allreduce(&mine, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
