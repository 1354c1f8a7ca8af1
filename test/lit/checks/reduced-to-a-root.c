// A reduce leaves the sum on one rank and terms of it on the others: a second
// one, or an all_reduce, would count these twice. A broadcast makes it whole,
// and what is written anew has new terms.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <spmd/annotations.h>

void load(float *x, int n);

void twice(SPMD_TYPE("dp: V") float *sum, int n,
           SPMD_AXIS("dp") MPI_Comm dp) {
  MPI_Reduce(sum, sum, n, MPI_FLOAT, MPI_SUM, 0, dp);
  // CHECK: :[[#@LINE+1]]:3: error: all_reduce on 'dp' adds up 'sum', which a reduce has left with the sum on one rank and terms of it on the others: the terms would be counted twice [spmd-src-type]
  MPI_Allreduce(MPI_IN_PLACE, sum, n, MPI_FLOAT, MPI_SUM, dp);
}

// The others' copies are what they were, nothing perhaps.
void elsewhere(SPMD_TYPE("dp: V") const float *x, float *sum, int n,
               SPMD_AXIS("dp") MPI_Comm dp) {
  for (int i = 0; i < n; ++i)
    sum[i] = 0;
  MPI_Reduce(x, sum, n, MPI_FLOAT, MPI_SUM, 0, dp);
  MPI_Allreduce(MPI_IN_PLACE, sum, n, MPI_FLOAT, MPI_SUM, dp);
}

// Those of a node first, then the nodes.
void byNodes(SPMD_TYPE("dp: V") float *g, int n, int rank,
             SPMD_AXIS("dp") MPI_Comm node, SPMD_AXIS("dp") MPI_Comm leaders) {
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : g, g, n, MPI_FLOAT, MPI_SUM, 0, node);
  if (rank == 0)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, leaders);
  MPI_Bcast(g, n, MPI_FLOAT, 0, node);
}

void inPlace(SPMD_TYPE("dp: P -> dp: R") float *g, int n, int rank,
             SPMD_AXIS("dp") MPI_Comm dp) {
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : g, g, n, MPI_FLOAT, MPI_SUM, 0, dp);
  MPI_Bcast(g, n, MPI_FLOAT, 0, dp);
}

void eachStep(SPMD_TYPE("dp: V") const float *x, float *g, float *sum, int n,
              SPMD_AXIS("dp") MPI_Comm dp) {
  for (int step = 0; step < 10; ++step) {
    for (int i = 0; i < n; ++i)
      g[i] = x[i] * x[i];
    MPI_Reduce(g, sum, n, MPI_FLOAT, MPI_SUM, 0, dp);
    load(sum, n);
    MPI_Allreduce(MPI_IN_PLACE, sum, n, MPI_FLOAT, MPI_SUM, dp);
  }
}

void overTwoAxes(SPMD_TYPE("dp: V, tp: V") const float *x, float *sum, int n,
                 SPMD_AXIS("dp") MPI_Comm dp, SPMD_AXIS("tp") MPI_Comm tp) {
  MPI_Reduce(x, sum, n, MPI_FLOAT, MPI_SUM, 0, dp);
  MPI_Allreduce(MPI_IN_PLACE, sum, n, MPI_FLOAT, MPI_SUM, tp);
}

// Each rank has a chunk of its own; where the others have nothing, a second sum
// makes it whole.
void chunks(SPMD_TYPE("dp: V") float *g, int n, int size,
            SPMD_AXIS("dp") MPI_Comm dp) {
  for (int r = 0; r < size; ++r)
    MPI_Reduce(g + r * n, g + r * n, n, MPI_FLOAT, MPI_SUM, r, dp);
}
void zeroed(SPMD_TYPE("dp: V") float *g, int n, int rank,
            SPMD_AXIS("dp") MPI_Comm dp) {
  MPI_Reduce(g, g, n, MPI_FLOAT, MPI_SUM, 0, dp);
  if (rank != 0)
    for (int i = 0; i < n; ++i)
      g[i] = 0;
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp);
}
