// A reduction in the first iteration alone is none of what the last one leaves.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS                                                              \
  [[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: R")]] float *w, float *g, \
      int n, [[spmd::type("dp: V")]] const float *x, int accum
#define SUM(g) MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp)

void first(ARGUMENTS) {
  memset(g, 0, n * sizeof(float));
  for (int micro = 0; micro < accum; micro++) {
    for (int i = 0; i < n; i++)
      g[i] += w[i] * x[micro * n + i];
    if (micro == 0)
      SUM(g);
  }
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * g[i];
  // CHECK: [[#@LINE-1]]:5: error: the value of 'w' must be R on 'dp', but 'w[i] -= 0.1f * g[i]' is V
  // CHECK: note: in iterations where 'micro' is not 0
}

struct State {
  [[spmd::type("dp: R")]] float *h;
  float *part;
};
static void add(float *h, const float *part, int n) {
  for (int i = 0; i < n; i++)
    h[i] += part[i];
  // CHECK: [[#@LINE-1]]:5: error: from here on 's.h' is V on 'dp', and nothing makes it R again
  // CHECK: note: in iterations where 'micro % 2' is not 0
}
// Who gives up in the iteration does not go round once more.
void eachOther(ARGUMENTS, struct State *s) {
  for (int micro = 0; micro < accum; micro++) {
    for (int i = 0; i < n; i++)
      s->part[i] = w[i] * x[micro * n + i];
    if (n > 100000)
      exit(1);
    if (micro % 2 == 0)
      SUM(s->part);
    add(s->h, s->part, n);
  }
}

//===--- Right ------------------------------------------------------------===//

void last(ARGUMENTS) {
  memset(g, 0, n * sizeof(float));
  for (int micro = 0; micro < accum; micro++) {
    for (int i = 0; i < n; i++)
      g[i] += w[i] * x[micro * n + i];
    if (micro == accum - 1)
      SUM(g);
  }
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * g[i];
}
// The sum of a step is used in the next one, that of the last behind the loop.
void inNextStep(ARGUMENTS) {
  memset(g, 0, n * sizeof(float));
  for (int step = 0; step < accum; step++) {
    if (step > 0) {
      SUM(g);
      for (int i = 0; i < n; i++)
        w[i] -= 0.1f * g[i];
    }
    for (int i = 0; i < n; i++)
      g[i] = w[i] * x[step * n + i];
  }
  SUM(g);
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * g[i];
}
// All begin with what one has.
void sent(ARGUMENTS, float *v) {
  for (int step = 0; step < accum; step++) {
    if (step == 0)
      MPI_Bcast(v, n, MPI_FLOAT, 0, dp);
    for (int i = 0; i < n; i++)
      v[i] -= 0.1f * w[i];
  }
  for (int i = 0; i < n; i++)
    w[i] = v[i];
}

//===--- Layers -----------------------------------------------------------===//

typedef struct {
  [[spmd::type("dp: R")]] float *w;
  float *dw;
  int n;
} Block;

// Each layer's gradient is reduced behind its own update.
void late([[spmd::axis("dp")]] MPI_Comm dp, Block *blocks, int layers,
          [[spmd::type("dp: V")]] const float *x) {
  for (int l = 0; l < layers; l++)
    for (int i = 0; i < blocks[l].n; i++)
      blocks[l].dw[i] = blocks[l].w[i] * x[i];
  for (int l = 0; l < layers; l++) {
    for (int i = 0; i < blocks[l].n; i++)
      blocks[l].w[i] -= 0.1f * blocks[l].dw[i];
    // CHECK: [[#@LINE-1]]:7: error: the value stored in 'w' must be R on 'dp', but 'blocks[l].w[i] -= 0.1f * blocks[l].dw[i]' is V
    MPI_Allreduce(MPI_IN_PLACE, blocks[l].dw, blocks[l].n, MPI_FLOAT, MPI_SUM, dp);
  }
}
// Right.
void each([[spmd::axis("dp")]] MPI_Comm dp, Block *blocks, int layers,
          [[spmd::type("dp: V")]] const float *x) {
  for (int l = 0; l < layers; l++) {
    for (int i = 0; i < blocks[l].n; i++)
      blocks[l].dw[i] = blocks[l].w[i] * x[i];
    MPI_Allreduce(MPI_IN_PLACE, blocks[l].dw, blocks[l].n, MPI_FLOAT, MPI_SUM, dp);
    for (int i = 0; i < blocks[l].n; i++)
      blocks[l].w[i] -= 0.1f * blocks[l].dw[i];
  }
}
void summedOrLeft(ARGUMENTS, struct State *s) {
  for (int micro = 0; micro < accum; micro++) {
    for (int i = 0; i < n; i++)
      s->part[i] = w[i] * x[micro * n + i];
    if (micro % 2 != 0) {
      if (n > 100000)
        break;
      continue;
    }
    SUM(s->part);
    add(s->h, s->part, n);
  }
}
