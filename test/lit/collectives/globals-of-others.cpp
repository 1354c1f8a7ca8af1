// What another file says that a global is at first is not known here, and no
// null communicator.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

extern MPI_Comm theirs;
MPI_Comm ours;

int main() {
  float x = 0;
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_FLOAT, MPI_SUM, theirs);
  // CHECK: [[#@LINE+1]]:3: error: this 'MPI_Allreduce' gets a null communicator
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_FLOAT, MPI_SUM, ours);
}
