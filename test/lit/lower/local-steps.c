// Weights that differ between averages are declared so: an average is no mistake.
// RUN: %spmd-tidy %s -- -std=c11 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --allow-empty --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>

void train(SPMD_AXIS("dp") MPI_Comm dp, SPMD_TYPE("dp: V") float *w, int n, SPMD_TYPE("dp: V") const float *x,
           int steps, int every) {
  int size;
  MPI_Comm_size(dp, &size);
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++)
      w[i] -= 0.1f * w[i] * x[i];
    if (s % every == 0) {
      MPI_Allreduce(MPI_IN_PLACE, w, n, MPI_FLOAT, MPI_SUM, dp);
      for (int i = 0; i < n; i++)
        w[i] /= size;
    }
  }
}
