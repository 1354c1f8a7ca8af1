// A sum that goes round in parts, each rank adding its own: all have it then.
// RUN: %spmd-tidy %s -- -std=c11 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --allow-empty --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>

static void ring(MPI_Comm comm, float *sum, float *part, int n) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int c = n / size, next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int k = 0; k < size - 1; k++) {
    int s = (rank - k + size) % size, r = (rank - k - 1 + size) % size;
    MPI_Sendrecv(sum + s * c, c, MPI_FLOAT, next, 0, part, c, MPI_FLOAT, previous, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < c; i++)
      sum[r * c + i] += part[i];
  }
  for (int k = 0; k < size - 1; k++) {
    int s = (rank + 1 - k + size) % size, r = (rank - k + size) % size;
    MPI_Sendrecv(sum + s * c, c, MPI_FLOAT, next, 1, sum + r * c, c, MPI_FLOAT, previous, 1, comm, MPI_STATUS_IGNORE);
  }
}

void step(SPMD_AXIS("dp") MPI_Comm dp, SPMD_TYPE("dp: R") float *w, float *g, float *part, int n,
          SPMD_TYPE("dp: V") const float *x) {
  for (int i = 0; i < n; i++)
    g[i] = w[i] * x[i];
  ring(dp, g, part, n);
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * g[i];
}
