// Local lists of structs that point into a buffer which has a name, too: what is
// done by way of their elements is done to a part of it.
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DSUM 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdlib.h>

enum { Each = 32, All = 3 * Each };
typedef struct {
  float *w, *g;
  int n;
} Slot;

#define ARGUMENTS \
  [[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: R")]] float *w
static void sum(float *g, int n, [[spmd::axis("dp")]] MPI_Comm dp) {
#ifdef SUM
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp);
#endif
}

void writtenBySlots(ARGUMENTS) {
  float *g = calloc(All, sizeof(float));
  Slot s[3];
  for (int i = 0; i < 3; i++) {
    s[i].w = w + Each * i;
    s[i].g = g + Each * i;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < Each; j++)
      s[i].g[j] = x[j] * s[i].w[j];
  sum(g, All, dp);
  for (int j = 0; j < All; j++)
    // CHECK: [[#@LINE+1]]:5: error: the value of 'w' must be R on 'dp'
    w[j] -= .1f * g[j];
}
void readBySlots(ARGUMENTS, [[spmd::type("dp: V")]] float *g) {
  Slot s[3];
  for (int i = 0; i < 3; i++)
    s[i] = (Slot){w + Each * i, g + Each * i, Each};
  sum(g, All, dp);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < Each; j++)
      // CHECK: [[#@LINE+1]]:7: error: parameter 'w' on exit must be R on 'dp'
      s[i].w[j] -= .1f * s[i].g[j];
}
void initialized(ARGUMENTS) {
  float *g = calloc(All, sizeof(float));
  Slot s[2] = {{w, g, Each}, {w + Each, g + Each, 2 * Each}};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < s[i].n; j++)
      s[i].g[j] = x[j] * s[i].w[j];
  sum(g, All, dp);
  for (int j = 0; j < All; j++)
    // CHECK: [[#@LINE+1]]:5: error: the value of 'w' must be R on 'dp'
    w[j] -= .1f * g[j];
}
