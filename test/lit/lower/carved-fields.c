// Where one allocation has the shards of some weights and, behind them, what all
// ranks have, each field is what it is declared to be.
// RUN: %spmd-tidy %s -- -std=c11 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --allow-empty --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>

struct job {
  SPMD_AXIS("tp") MPI_Comm comm;
};
struct arena {
  float *memory;
  SPMD_TYPE("tp: S(0)") float *w;
  SPMD_TYPE("tp: R") float *norm;
  float *g_memory, *gw, *g_norm;
  int n, d;
};

void carve(struct arena *a) {
  a->w = a->memory;
  a->norm = a->memory + a->n;
  a->gw = a->g_memory;
  a->g_norm = a->g_memory + a->n;
}

void step(struct arena *a, struct job *t, SPMD_TYPE("tp: V") const float *x) {
  for (int i = 0; i < a->n; ++i)
    a->gw[i] = x[i] * a->w[i];
  for (int i = 0; i < a->d; ++i)
    a->g_norm[i] = x[i] * a->norm[i];
  MPI_Allreduce(MPI_IN_PLACE, a->g_norm, a->d, MPI_FLOAT, MPI_SUM, t->comm);
  for (int i = 0; i < a->n; ++i)
    a->w[i] -= 0.1f * a->gw[i];
  for (int i = 0; i < a->d; ++i)
    a->norm[i] -= 0.1f * a->g_norm[i];
}
