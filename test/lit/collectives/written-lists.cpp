// A loop over a list that is written out has as many rounds as it has elements.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <initializer_list>
#include <mpi.h>

static void half(int rank) {
  for (int n : {2, 3}) {
    int x = n;
    for (int i = 0; i < n; ++i)
      if (i != 2 || rank == 0)
        // CHECK: [[#@LINE+1]]:9: error: not all ranks get to this 'MPI_Allreduce', and those that do wait for the others: with 2 ranks: rank 0 waits in MPI_Allreduce, line [[#@LINE+1]]; rank 1 waits in MPI_Barrier
        MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}
static void never(int rank) {
  for (int n : {2, 1}) {
    int x = n;
    for (int i = 0; i < n; ++i)
      if (i != 2 || rank == 0)
        MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  never(rank);
  half(rank);
  MPI_Finalize();
}
