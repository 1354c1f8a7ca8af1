// A buffer that nobody has written may be sent and summed to begin with.
// RUN: %spmd-tidy %s -- -std=c11 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --allow-empty --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>
#include <stdlib.h>

void warm_up(SPMD_AXIS("dp") MPI_Comm comm) {
  float *scratch = calloc(1024, sizeof(float));
  MPI_Bcast(scratch, 1024, MPI_FLOAT, 0, comm);
  for (int i = 0; i < 5; ++i)
    MPI_Allreduce(MPI_IN_PLACE, scratch, 1024, MPI_FLOAT, MPI_SUM, comm);
  free(scratch);
}
