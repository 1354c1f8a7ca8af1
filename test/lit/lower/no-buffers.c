// Where a caller has no buffer to read, as no bias, none is in what its callee
// leaves: that is known as it would be without.
// RUN: %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <stddef.h>
#ifdef WRONG
#define SUM(g, n) MPI_Bcast(g, n, MPI_FLOAT, 0, comm)
#else
#define SUM(g, n) MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm)
#endif
static void add(float *y, const float *b, int n) {
  for (int i = 0; i < n; i++)
    y[i] += b[i];
}
static void product(float *y, const float *x, const float *w, const float *bias, int n) {
  for (int i = 0; i < n; i++)
    y[i] = x[i] * w[i];
  if (bias)
    add(y, bias, n);
}
void train([[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] const float *x,
           float *g, int n) {
  product(g, x, w, NULL, n);
  SUM(g, n);
  for (int i = 0; i < n; i++)
    // CHECK: [[#@LINE+1]]:5: error: '0.1f * g[i]' is made of what one rank of 'dp' has computed of its own data
    w[i] -= 0.1f * g[i];
}
