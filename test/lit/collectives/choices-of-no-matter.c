// What weights begin with decides about no call: a run that goes wrong goes
// wrong whatever it is, and is not tried with each of it.
// RUN: not %spmd-tidy --quiet --checks='spmd-collective-order' %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <stdlib.h>

static double weights[784], part[784];

void init(void) {
  for (int i = 0; i < 784; i++)
    weights[i] = (rand() % 2 ? 1 : -1) * (rand() % 6) / 10.0;
  for (int i = 0; i < 784; i++)
    if (rand() % 2)
      part[i] = -weights[i];
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  init();
  for (int i = 0; i < 10; i++) {
    if (rank)
      MPI_Send(weights, 784, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    else
      for (int j = 1; j < size - 1; j++)
        MPI_Recv(part, 784, MPI_DOUBLE, j, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // CHECK: :[[#@LINE+1]]:5: error: some ranks are in this 'MPI_Allreduce' and others in 'MPI_Send', which do not match
    MPI_Allreduce(MPI_IN_PLACE, weights, 784, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
