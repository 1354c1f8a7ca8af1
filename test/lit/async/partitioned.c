// A part of a partitioned send may be written until Pready says that it is
// ready, and is no operation of its own.
// RUN: %spmd-tidy %s -- -isystem %stubs-dir 2>&1 | count 0

#include <mpi.h>

void parts(double *b, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request q;
  if (rank == 0) {
    MPI_Psend_init(b, 4, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &q);
    MPI_Start(&q);
    for (int i = 0; i < 4; i++) {
      b[i * n] = i;
      MPI_Pready(i, q);
    }
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    b[0] = 3;
    MPI_Request_free(&q);
  } else if (rank == 1) {
    MPI_Precv_init(b, 4, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &q);
    MPI_Start(&q);
    for (int i = 0; i < 4; i++) {
      int there = 0;
      while (!there)
        MPI_Parrived(q, i, &there);
    }
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Request_free(&q);
  }
}
