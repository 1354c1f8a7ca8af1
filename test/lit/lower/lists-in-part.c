// Loops that go over a part of a list of pointers which have names, and
// elements of such a list that are asked for by number.
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DFROM=0 -DTO=3 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DFROM=1 -DTO=3 -DONE=0 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DFROM=0 -DTO=2 -DONE=2 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DFROM=1 -DTO=3 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIRST --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DFROM=1 -DTO=2 -DONE=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LAST --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DFROM=0 -DTO=2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LAST --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DFROM=0 -DTO=1 -DONE=2 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MIDDLE --implicit-check-not=error:

#include <mpi.h>

typedef struct {
  [[spmd::type("dp: R")]] float *w;
  [[spmd::type("dp: R")]] float *b;
  [[spmd::type("dp: R")]] float *h;
  float *dw, *db, *dh;
} Layer;

static void backward(Layer *l, const float *x, int n) {
  for (int i = 0; i < n; i++) {
    l->dw[i] = l->w[i] * x[i];
    l->db[i] = l->b[i] * x[i];
    l->dh[i] = l->h[i] * x[i];
  }
}
static void reduce(Layer *l, int n, MPI_Comm comm) {
  float *list[] = {l->dw, l->db, l->dh};
  for (int i = FROM; i < TO; i++)
    MPI_Allreduce(MPI_IN_PLACE, list[i], n, MPI_FLOAT, MPI_SUM, comm);
#ifdef ONE
  MPI_Allreduce(MPI_IN_PLACE, list[ONE], n, MPI_FLOAT, MPI_SUM, comm);
#endif
}
void train(Layer *l, [[spmd::axis("dp")]] MPI_Comm dp,
           [[spmd::type("dp: V")]] const float *x, int n) {
  backward(l, x, n);
  reduce(l, n, dp);
  for (int i = 0; i < n; i++)
    // FIRST: [[#@LINE+1]]:5: error: {{.*}}'l.w'
    l->w[i] -= .1f * l->dw[i];
  for (int i = 0; i < n; i++)
    // MIDDLE: [[#@LINE+1]]:5: error: {{.*}}'l.b'
    l->b[i] -= .1f * l->db[i];
  for (int i = 0; i < n; i++)
    // LAST: [[#@LINE+1]]:5: error: {{.*}}'l.h'
    l->h[i] -= .1f * l->dh[i];
}
