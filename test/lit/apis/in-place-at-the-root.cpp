// A root that sums in place passes another argument than the other ranks, and
// those may pass no place for the result: it is one buffer on all.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

void summed([[spmd::type("dp: P -> dp: R")]] float *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : g, g, n, MPI_FLOAT, MPI_SUM, 0, comm);
  MPI_Bcast(g, n, MPI_FLOAT, 0, comm);
}

void summedThere([[spmd::type("dp: P -> dp: R")]] float *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Reduce(rank ? g : MPI_IN_PLACE, rank ? nullptr : g, n, MPI_FLOAT, MPI_SUM, 0, comm);
  MPI_Bcast(g, n, MPI_FLOAT, 0, comm);
}

// CHECK: [[@LINE+1]]:24: error: parameter 'g' on exit must be R on 'dp', but 'g' is V: the ranks hold different values, which are taken for one [spmd-contract]
void kept([[spmd::type("dp: P -> dp: R")]] float *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : g, g, n, MPI_FLOAT, MPI_SUM, 0, comm);
}

void updated([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] float *g, int n,
             [[spmd::axis("dp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : g, g, n, MPI_FLOAT, MPI_SUM, 0, comm);
  for (int i = 0; i < n; ++i)
    // CHECK: [[@LINE+1]]:5: error: the value of 'w' must be R on 'dp', but 'w[i] -= 0.1f * g[i]' is V
    w[i] -= 0.1f * g[i];
}
