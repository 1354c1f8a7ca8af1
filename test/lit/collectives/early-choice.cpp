// Of a program with more ways than are looked at, those that make one choice
// otherwise are: the first choice as well as the last.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

int main(int argc, char **argv) {
  int rank, plan[100];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(plan, 100, MPI_INT, 0, MPI_COMM_WORLD);
  if (argc > 2)
    plan[0] = 1;
  else if (rank == 0)
    // CHECK: [[#@LINE+1]]:5: error: {{.*}}'MPI_Barrier'
    MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 1; i < 12; ++i)
    if (plan[i] > 7)
      MPI_Bcast(&plan[i], 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
}
