// What a datatype is made of is committed before something is sent as it.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

void forgotten(int *x) {
  MPI_Datatype four;
  MPI_Type_contiguous(4, MPI_INT, &four);
  // CHECK: [[#@LINE+1]]:3: error: {{.*}}datatype that is not committed{{.*}} [spmd-collective-argument]
  MPI_Bcast(x, 1, four, 0, MPI_COMM_WORLD);
  MPI_Type_free(&four);
}

void sent(int *x) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 8, MPI_INT, &column);
  if (rank == 0)
    // CHECK: [[#@LINE+1]]:5: error: {{.*}}datatype that is not committed{{.*}} [spmd-collective-argument]
    MPI_Send(x, 1, column, 1, 0, MPI_COMM_WORLD);
  else if (rank == 1)
    MPI_Recv(x, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void commit(MPI_Datatype *type) { MPI_Type_commit(type); }

void right(int *x) {
  MPI_Datatype four, eight;
  MPI_Type_contiguous(4, MPI_INT, &four); // only what another is made of
  MPI_Type_contiguous(2, four, &eight);
  commit(&eight);
  MPI_Bcast(x, 1, eight, 0, MPI_COMM_WORLD);
  MPI_Type_free(&four);
  MPI_Type_free(&eight);
}
