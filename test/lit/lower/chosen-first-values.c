// A number that rank 0 knows, and sends round before anybody reads it.
// RUN: %spmd-tidy --quiet --config='Axes: {MPI_COMM_WORLD: tp}' %s -- -isystem %stubs-dir 2>&1 | count 0
// RUN: not %spmd-tidy --quiet --config='Axes: {MPI_COMM_WORLD: tp}' %s -- -DWRONG -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

void work(int i);
void run(int rank, int known) {
  // CHECK: :[[#@LINE+1]]:35: error: from here on 'n' is V on 'tp', and nothing makes it R again
  [[spmd::type("tp: R")]] int n = rank == 0 ? known : 0;
#ifndef WRONG
  MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
#endif
  for (int i = 0; i < n; i++)
    work(i);
}
void own(int rank) {
#ifdef WRONG
  // CHECK: :[[#@LINE+1]]:35: error: the value of 'n' must be R on 'tp', but 'rank' is V
  [[spmd::type("tp: R")]] int n = rank;
  MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
#endif
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  run(rank, argc);
  own(rank);
  MPI_Finalize();
}
