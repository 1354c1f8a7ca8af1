// The first of the globals that point into one allocation is a name of its first
// part, or of all: by how many of it are meant.
// RUN: %spmd-tidy --quiet %s -- -std=c11 %runtime-include -isystem %mpi-include 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DEACH -std=c11 %runtime-include -isystem %mpi-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DFIRST -std=c11 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIRST --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DNONE -std=c11 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=FIRST,NONE --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>
#include <stdlib.h>
#include <string.h>

static float *dw, *db, *gain, *shift;

static void setup(int n, int m) {
  dw = (float *)calloc(n + m, sizeof(float));
  db = dw + n;
}
// By way of a local.
static void setupOther(int n, int m) {
  float *memory = (float *)calloc(n + m, sizeof(float));
  gain = memory;
  shift = &memory[n];
}

void train(SPMD_AXIS("dp") MPI_Comm comm, SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: R") float *b,
           SPMD_TYPE("dp: V") const float *x, int n, int m) {
  const int total = n + m;
  setup(n, m);
  for (int s = 0; s < 10; ++s) {
    memset(dw, 0, total * sizeof(float));
    for (int i = 0; i < n; ++i)
      dw[i] += x[i] * w[i];
    for (int i = 0; i < m; ++i)
      db[i] += x[i] * b[i];
#if defined(EACH)
    MPI_Allreduce(MPI_IN_PLACE, dw, n, MPI_FLOAT, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, db, m, MPI_FLOAT, MPI_SUM, comm);
#elif defined(FIRST)
    MPI_Allreduce(MPI_IN_PLACE, dw, n, MPI_FLOAT, MPI_SUM, comm);
#elif !defined(NONE)
    MPI_Allreduce(MPI_IN_PLACE, dw, total, MPI_FLOAT, MPI_SUM, comm);
#endif
    for (int i = 0; i < n; ++i)
      // NONE: [[#@LINE+1]]:7: error: the value of 'w' must be R on 'dp', but 'w[i] -= 0.1f * dw[i]' is V
      w[i] -= 0.1f * dw[i];
    for (int i = 0; i < m; ++i)
      // FIRST: [[#@LINE+1]]:7: error: the value of 'b' must be R on 'dp', but 'b[i] -= 0.1f * db[i]' is V
      b[i] -= 0.1f * db[i];
  }
}

void trainOther(SPMD_AXIS("dp") MPI_Comm comm, SPMD_TYPE("dp: R") float *w,
                SPMD_TYPE("dp: R") float *b, SPMD_TYPE("dp: V") const float *x, int n, int m) {
  setupOther(n, m);
  for (int i = 0; i < n; ++i)
    gain[i] = x[i] * w[i];
  for (int i = 0; i < m; ++i)
    shift[i] = x[i] * b[i];
  MPI_Allreduce(MPI_IN_PLACE, gain, n + m, MPI_FLOAT, MPI_SUM, comm);
  for (int i = 0; i < n; ++i)
    w[i] -= 0.1f * gain[i];
  for (int i = 0; i < m; ++i)
    b[i] -= 0.1f * shift[i];
}
