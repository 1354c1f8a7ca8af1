// What each rank makes of its own data with what it has made of them before are its own terms: a part of them, by its place, lacks those of the others.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdlib.h>

void wrong([[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] const float *x, int n, int size) {
  int rank;
  MPI_Comm_rank(dp, &rank);
  float *g = malloc(n * sizeof(float));
  for (int i = 0; i < n; i++)
    g[i] = x[i] + x[i] * w[i];
  int part = n / size;
  for (int i = 0; i < part; i++)
    // CHECK: :[[#@LINE+1]]:5: error: {{.*}} is each rank's part, by its place on 'dp', of what it alone has computed: nobody adds what the other ranks have for that part, as a reduce_scatter does [spmd-backward-type]
    w[rank * part + i] -= 0.1f * g[rank * part + i];
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, w, part, MPI_FLOAT, dp);
  free(g);
}

void right([[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] const float *x, int n, int size) {
  int rank;
  MPI_Comm_rank(dp, &rank);
  float *g = malloc(n * sizeof(float));
  for (int i = 0; i < n; i++)
    g[i] = x[i] + x[i] * w[i];
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp);
  int part = n / size;
  for (int i = 0; i < part; i++)
    w[rank * part + i] -= 0.1f * g[rank * part + i];
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, w, part, MPI_FLOAT, dp);
  free(g);
}
