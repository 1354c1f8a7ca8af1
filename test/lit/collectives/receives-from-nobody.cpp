// A loop that counts to the number of ranks comes to a rank that is none; so far
// as a number is a constant, more ranks may have it.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

int main(int argc, char **argv) {
  int rank, size;
  double x[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0)
    MPI_Send(x, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  else
    for (int j = 1; j <= size; j++)
      // CHECK: [[@LINE+1]]:7: error: no rank has the number that this 'MPI_Recv' is told, however many there are [spmd-collective-argument]
      MPI_Recv(x, 4, MPI_DOUBLE, j, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 3)
    MPI_Send(x, 4, MPI_DOUBLE, 4, 0, MPI_COMM_WORLD);
  if (rank == 4)
    MPI_Recv(x, 4, MPI_DOUBLE, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
