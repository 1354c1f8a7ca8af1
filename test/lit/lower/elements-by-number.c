// Structs in an array, each asked for by its number: what is done to one is not
// done to another.
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DFIRST -DSECOND 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DFIRST 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DSECOND 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 | FileCheck %s

#include <mpi.h>
#include <stdlib.h>

typedef struct {
  [[spmd::type("dp: R")]] float *w;
  float *g;
} Layer;

static void backward(Layer *l, const float *x, int n) {
  for (int i = 0; i < n; i++)
    l->g[i] = l->w[i] * x[i];
}
static void sum(Layer *l, int n, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, l->g, n, MPI_FLOAT, MPI_SUM, comm);
}
static void sgd(Layer *l, int n) {
  for (int i = 0; i < n; i++)
    // CHECK: [[#@LINE+1]]:5: error: {{.*}}'l.w'
    l->w[i] -= .1f * l->g[i];
}
void train([[spmd::axis("dp")]] MPI_Comm dp,
           [[spmd::type("dp: V")]] const float *x, int n) {
  Layer net[2];
  for (int l = 0; l < 2; l++) {
    net[l].w = calloc(n, sizeof(float));
    net[l].g = calloc(n, sizeof(float));
  }
  backward(&net[1], x, n);
  backward(&net[0], x, n);
#ifdef FIRST
  sum(&net[0], n, dp);
#endif
#ifdef SECOND
  sum(&net[1], n, dp);
#endif
  for (int l = 0; l < 2; l++)
    sgd(&net[l], n);
}

// By members of what the caller has.
static void step(float *w, const float *g, int n) {
  for (int i = 0; i < n; i++)
    // CHECK: [[#@LINE+1]]:5: error: {{.*}}'net.w'
    w[i] -= .1f * g[i];
}
void given(Layer net[2], [[spmd::axis("dp")]] MPI_Comm dp,
           [[spmd::type("dp: V")]] const float *x, int n) {
  backward(&net[1], x, n);
  backward(&net[0], x, n);
#ifdef FIRST
  sum(&net[0], n, dp);
#endif
#ifdef SECOND
  sum(&net[1], n, dp);
#endif
  step(net[0].w, net[0].g, n);
  step(net[1].w, net[1].g, n);
}

// What is reduced from the first one on may be all of an allocation.
void allOfIt(Layer *net, [[spmd::axis("dp")]] MPI_Comm dp,
             [[spmd::type("dp: V")]] const float *x, int n) {
  backward(&net[1], x, n);
  backward(&net[0], x, n);
  MPI_Allreduce(MPI_IN_PLACE, net[0].g, 2 * n, MPI_FLOAT, MPI_SUM, dp);
  for (int i = 0; i < n; i++)
    net[1].w[i] -= .1f * net[1].g[i];
}
// So may each be summed by its own pointer.
void eachByPointer(Layer *net, [[spmd::axis("dp")]] MPI_Comm dp,
                   [[spmd::type("dp: V")]] const float *x, int n) {
  backward(&net[1], x, n);
  backward(&net[0], x, n);
  MPI_Allreduce(MPI_IN_PLACE, net[0].g, n, MPI_FLOAT, MPI_SUM, dp);
  MPI_Allreduce(MPI_IN_PLACE, net[1].g, n, MPI_FLOAT, MPI_SUM, dp);
  for (int i = 0; i < n; i++)
    net[1].w[i] -= .1f * net[1].g[i];
}
// By pointers that were made before the structs had any memory.
static void begin(Layer *l, int n) {
  l->w = calloc(n, sizeof(float));
  l->g = calloc(n, sizeof(float));
}
void byPointers([[spmd::axis("dp")]] MPI_Comm dp,
                [[spmd::type("dp: V")]] const float *x, int n) {
  Layer net[2], *a = &net[0], *b = &net[1];
  begin(a, n);
  begin(b, n);
  for (int s = 0; s < 9; s++) {
    backward(a, x, n);
    backward(b, x, n);
    sum(&net[0], n, dp);
    sum(&net[1], n, dp);
    for (int l = 0; l < 2; l++)
      sgd(&net[l], n);
  }
}
