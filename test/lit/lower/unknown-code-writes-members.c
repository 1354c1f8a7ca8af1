// What nobody sees, a function in a member or elsewhere, may write what the
// structs that it gets have: they are neither zeros nor what they were.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

typedef struct Layer Layer;
struct Layer {
  void (*bwd)(Layer *, const float *d, int n);
  [[spmd::type("dp: R")]] float *p;
  float *g;
  int n;
};
static void denseBackward(Layer *l, const float *d, int n) {
  for (int i = 0; i < n; i++)
    l->g[i] += d[i] * l->p[i];
}
static Layer dense(int n) {
  Layer l = {denseBackward};
  l.p = calloc(n, sizeof(float));
  l.g = calloc(n, sizeof(float));
  l.n = n;
  return l;
}
void elsewhere(Layer *l, const float *d, int n);
void looksAt(const Layer *l);

#define ARGUMENTS [[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: V")]] const float *x
#define SUM(g, n) MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp)

static void update(Layer *l) {
  for (int j = 0; j < l->n; j++)
    l->p[j] -= .1f * l->g[j];
}

void inMember(ARGUMENTS) {
  Layer l = dense(8);
  for (int step = 0; step < 10; step++) {
    for (int j = 0; j < 8; j++)
      l.g[j] = 0;
    l.bwd(&l, x, 8);
    SUM(l.g, l.n);
    update(&l);
  }
}
void ofElements(ARGUMENTS) {
  Layer net[2] = {dense(8), dense(8)};
  for (int i = 1; i >= 0; i--)
    net[i].bwd(&net[i], x, 8);
  for (int i = 0; i < 2; i++) {
    SUM(net[i].g, net[i].n);
    for (int j = 0; j < net[i].n; j++)
      net[i].p[j] -= .1f * net[i].g[j];
  }
}
void ofElementsInSteps(ARGUMENTS) {
  Layer net[2] = {dense(8), dense(8)};
  for (int i = 0; i < 2; i++)
    memset(net[i].g, 0, net[i].n * sizeof(float));
  for (int step = 0; step < 10; step++) {
    for (int i = 1; i >= 0; i--)
      net[i].bwd(&net[i], x, 8);
    for (int i = 0; i < 2; i++) {
      SUM(net[i].g, net[i].n);
      update(&net[i]);
    }
  }
}
void inOtherFile(ARGUMENTS) {
  Layer l = dense(8);
  for (int step = 0; step < 10; step++) {
    memset(l.g, 0, 8 * sizeof(float));
    elsewhere(&l, x, 8);
    SUM(l.g, l.n);
    update(&l);
  }
}
static void (*backward)(Layer *, const float *, int) = denseBackward;
void inGlobal(ARGUMENTS) {
  Layer l = dense(8);
  for (int j = 0; j < 8; j++)
    l.g[j] = 0;
  backward(&l, x, 8);
  SUM(l.g, l.n);
  update(&l);
}
// Who may only look leaves it.
void twice(ARGUMENTS) {
  Layer l = dense(8);
  denseBackward(&l, x, 8);
  SUM(l.g, l.n);
  looksAt(&l);
  // CHECK: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'l.g' is R or I
  SUM(l.g, l.n);
  update(&l);
}
