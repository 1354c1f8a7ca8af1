// A loop over elements is there for its iterations: what it makes of a buffer
// that was the same on all ranks, or of which nobody said anything, is what
// follows finds.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

void use([[spmd::type("dp: R")]] float *g, int n);

void in_steps(float *g, [[spmd::type("dp: V")]] float *x, int n) {
  for (int step = 0; step < 10; step++) {
    for (int i = 0; i < n; i++)
      g[i] = x[i];
    // CHECK: [[#@LINE+1]]:5: error: the argument for 'g' must be R on 'dp', but 'g' is V
    use(g, n);
  }
}
void after_a_sum(float *g, [[spmd::type("dp: V")]] float *x, int n,
                 [[spmd::axis("dp")]] MPI_Comm dp) {
  for (int i = 0; i < n; i++)
    g[i] = x[i];
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp);
  use(g, n);
  for (int i = 0; i < n; i++)
    g[i] = x[i];
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'g' must be R on 'dp', but 'g' is V
  use(g, n);
}
void nest([[spmd::type("dp: S(1)")]] float *w, [[spmd::type("dp: R")]] float *x,
          float *out, int rows, int cols) {
  for (int b = 0; b < rows; b++)
    for (int o = 0; o < cols; o++)
      out[b * cols + o] = x[b] * w[o];
  // CHECK: [[#@LINE+1]]:3: error: the argument for 'g' must be R on 'dp', but 'out' is V
  use(out, rows * cols);
}
// Reduced in each step, the sum is what the next step finds.
void right(float *g, [[spmd::type("dp: V")]] float *x, int n, int steps,
           [[spmd::axis("dp")]] MPI_Comm dp) {
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n; i++)
      g[i] = x[i];
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp);
    use(g, n);
  }
}
