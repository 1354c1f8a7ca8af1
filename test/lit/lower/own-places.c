// Elements of zeros that each rank writes at places of its own: a buffer that
// differs between ranks, or terms of a sum, but nothing that all ranks have.
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <string.h>

void use([[spmd::type("dp: R")]] const float *g);
void terms([[spmd::type("dp: P")]] const float *g);

void scattered([[spmd::type("dp: V")]] const int *index,
               [[spmd::type("dp: V")]] const float *x, int n) {
  float g[64];
  memset(g, 0, sizeof g);
  for (int i = 0; i < n; ++i)
    g[index[i]] += x[i];
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is V or P
  use(g);
}
void summed([[spmd::type("dp: V")]] const int *index,
            [[spmd::type("dp: V")]] const float *x, int n) {
  float g[64];
  memset(g, 0, sizeof g);
  for (int i = 0; i < n; ++i)
    g[index[i]] += x[i];
  terms(g);
}
void reduced([[spmd::type("dp: V")]] const int *index,
             [[spmd::type("dp: V")]] const float *x, int n,
             [[spmd::axis("dp")]] MPI_Comm dp) {
  float g[64];
  memset(g, 0, sizeof g);
  for (int i = 0; i < n; ++i)
    g[index[i]] += x[i];
  MPI_Allreduce(MPI_IN_PLACE, g, 64, MPI_FLOAT, MPI_SUM, dp);
  use(g);
}
