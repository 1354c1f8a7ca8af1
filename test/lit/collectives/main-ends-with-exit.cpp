// A program whose main function ends with exit(0) ends as with a return; behind
// a condition, exit() may be an error.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

extern "C" void exit(int) __attribute__((noreturn));

int main(int argc, char **argv) {
  int rank;
  double x[10];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && argc > 3 && argv[3])
    exit(0);
  // CHECK: [[@LINE+1]]:3: error: the root of this 'MPI_Bcast' is not the same on all ranks
  MPI_Bcast(x, 10, MPI_DOUBLE, rank, MPI_COMM_WORLD);
  MPI_Finalize();
  exit(0);
}
