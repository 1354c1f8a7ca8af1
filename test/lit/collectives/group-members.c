// A communicator of a group may be made by its members alone.
// RUN: %spmd-tidy %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: not %spmd-tidy --strict %s -- -isystem %stubs-dir 2>&1 | FileCheck %s

#include <mpi.h>

// SILENT: no findings
void members(float *x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Group world, two;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int ranks[2] = {0, 1};
  MPI_Group_incl(world, 2, ranks, &two);
  if (rank < 2) {
    // CHECK: [[#@LINE+1]]:5: warning: not all calls that cannot match are found in 'members', as which ranks this 'MPI_Comm_create_group' is for is not known
    MPI_Comm_create_group(MPI_COMM_WORLD, two, 7, &comm);
    MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_FLOAT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
  }
}
