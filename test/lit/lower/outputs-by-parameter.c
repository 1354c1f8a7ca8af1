// What a function writes over, and does not read, need not be before what its
// parameter is declared to be.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <spmd/annotations.h>

static void multiply(const float *w, const float *x, float *out, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = x[i] * w[i];
}
void gradients(SPMD_TYPE("dp: R") const float *w, SPMD_TYPE("dp: V") const float *x,
               SPMD_TYPE("dp: V") float *g, int n) {
  multiply(w, x, g, n);
}
void addGradients(SPMD_TYPE("dp: R") const float *w, SPMD_TYPE("dp: V") const float *x,
                  SPMD_TYPE("dp: V") float *g, int n) {
  for (int i = 0; i < n; ++i)
    g[i] += x[i] * w[i];
}
static void step(SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: R") const float *g, int n) {
  for (int i = 0; i < n; ++i)
    w[i] -= 0.1f * g[i];
}

void right(SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: V") const float *x, float *g, int n,
           SPMD_AXIS("dp") MPI_Comm comm) {
  for (int s = 0; s < 10; ++s) {
    gradients(w, x, g, n);
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
    step(w, g, n);
  }
}
void added(SPMD_TYPE("dp: R") float *w, SPMD_TYPE("dp: V") const float *x, float *g, int n,
           SPMD_AXIS("dp") MPI_Comm comm) {
  for (int s = 0; s < 10; ++s) {
    // CHECK: [[#@LINE+1]]:5: error: the argument for 'g' must be V on 'dp', but 'g' is R: all ranks hold the same, which is taken for each one's own [spmd-contract]
    addGradients(w, x, g, n);
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
    step(w, g, n);
  }
}
