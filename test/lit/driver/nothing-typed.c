// A file that names no axis says that nothing of its types was checked.
// RUN: %spmd-tidy %s -- -isystem %stubs-dir 2>&1 | FileCheck %s
// RUN: %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | count 0
// CHECK: {{^}}no findings; nothing is typed where no axis is named: the order and arguments of 2 collectives checked, nothing else{{$}}
#include <mpi.h>

void sum(float *x, int n) {
  MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Bcast(x, n, MPI_FLOAT, 0, MPI_COMM_WORLD);
}
