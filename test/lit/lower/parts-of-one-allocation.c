// Parts of one allocation are reduced one after the other; one part twice is not.
// RUN: not %spmd-tidy %s -- -std=c11 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>
#include <stdlib.h>

typedef struct {
  float *w, *b;
} Gradients;

static void point(Gradients *g, float *memory, int n) {
  g->w = memory;
  g->b = g->w + n;
}

void right(SPMD_AXIS("dp") MPI_Comm dp, SPMD_TYPE("dp: R") float *w, int n, int m, SPMD_TYPE("dp: V") const float *x) {
  float *memory = malloc((n + m) * sizeof(float));
  Gradients g;
  point(&g, memory, n);
  for (int i = 0; i < n; i++)
    g.w[i] = w[i] * x[i];
  for (int i = 0; i < m; i++)
    g.b[i] = w[n + i] * x[i];
  MPI_Allreduce(MPI_IN_PLACE, g.w, n, MPI_FLOAT, MPI_SUM, dp);
  MPI_Allreduce(MPI_IN_PLACE, g.b, m, MPI_FLOAT, MPI_SUM, dp);
  for (int i = 0; i < n + m; i++)
    w[i] -= 0.1f * memory[i];
  free(memory);
}

void twice(SPMD_AXIS("dp") MPI_Comm dp, SPMD_TYPE("dp: R") float *w, int n, SPMD_TYPE("dp: V") const float *x) {
  float *memory = malloc(2 * n * sizeof(float));
  Gradients g;
  point(&g, memory, n);
  for (int i = 0; i < n; i++)
    g.w[i] = w[i] * x[i];
  MPI_Allreduce(MPI_IN_PLACE, g.w, n, MPI_FLOAT, MPI_SUM, dp);
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'g.w' is R or I
  MPI_Allreduce(MPI_IN_PLACE, g.w, n, MPI_FLOAT, MPI_SUM, dp);
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * memory[i];
  free(memory);
}
