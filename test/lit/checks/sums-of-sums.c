// What a sum has left, and more terms are added to, is counted once per rank by
// the next sum: in every micro step, say. An average of each is right, and
// whatever is cleared or scaled in between.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error: --implicit-check-not=fix:

#include <mpi.h>
#include <string.h>

#define ARGUMENTS                                                              \
  [[spmd::axis("dp")]] MPI_Comm dp, [[spmd::size("dp")]] int size,             \
      [[spmd::type("dp: R")]] float *w, float *g, int n,                       \
      [[spmd::type("dp: V")]] const float *x, int accum
#define SUM(g) MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp)

static void backward(const float *w, const float *x, float *g, int n) {
  for (int i = 0; i < n; i++)
    g[i] += w[i] * x[i];
    // CHECK-DAG: [[#@LINE-1]]:5: error: 'g[i]', which a sum over 'dp' has left, is added to 'w[i] * x[i]' in 'add', and the next sum counts it once per rank: reduce once, when all terms are added, or average each time [spmd-partial-add]
}
static void update(float *w, const float *g, int n) {
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * g[i];
}

void every(ARGUMENTS) {
  memset(g, 0, n * sizeof(float));
  for (int micro = 0; micro < accum; micro++) {
    for (int i = 0; i < n; i++)
      g[i] += w[i] * x[micro * n + i];
      // CHECK-DAG: [[#@LINE-1]]:7: error: 'g[i]', which a sum over 'dp' has left, is added to 'w[i] * x[micro * n + i]' in 'add'
    SUM(g);
    // CHECK-DAG: [[#@LINE-1]]:5: note: added up over 'dp' here
  }
  update(w, g, n);
}
void twice(ARGUMENTS) {
  for (int i = 0; i < n; i++)
    g[i] = w[i] * x[i];
  SUM(g);
  // CHECK-DAG: [[#@LINE-1]]:3: note: 'g[i]' is R or I on 'dp': result of this all_reduce
  for (int i = 0; i < n; i++)
    g[i] += w[i] * x[n + i];
    // CHECK-DAG: [[#@LINE-1]]:5: error: 'g[i]', which a sum over 'dp' has left, is added to
  SUM(g);
  update(w, g, n);
}
void inCallee(ARGUMENTS) {
  memset(g, 0, n * sizeof(float));
  for (int micro = 0; micro < accum; micro++) {
    backward(w, x + micro * n, g, n);
    SUM(g);
  }
  update(w, g, n);
}

//===--- Right ------------------------------------------------------------===//

void averaged(ARGUMENTS) {
  memset(g, 0, n * sizeof(float));
  for (int micro = 0; micro < accum; micro++) {
    for (int i = 0; i < n; i++)
      g[i] += w[i] * x[micro * n + i];
    SUM(g);
    for (int i = 0; i < n; i++)
      g[i] /= size;
  }
  update(w, g, n);
}
void cleared(ARGUMENTS) {
  for (int step = 0; step < accum; step++) {
    for (int i = 0; i < n; i++)
      g[i] = 0;
    for (int i = 0; i < n; i++)
      g[i] += w[i] * x[i];
    SUM(g);
    update(w, g, n);
  }
}
// Cleared by others, after the update say.
void clearedElsewhere(ARGUMENTS) {
  for (int micro = 0; micro < accum; micro++) {
    for (int i = 0; i < n; i++)
      g[i] += w[i] * x[micro * n + i];
    // CHECK-DAG: [[#@LINE-1]]:7: error: 'g[i]', which a sum over 'dp' has left, is added to 'w[i] * x[micro * n + i]'
    SUM(g);
  }
  update(w, g, n);
}
void clearedEachTime(ARGUMENTS) {
  for (int micro = 0; micro < accum; micro++) {
    for (int i = 0; i < n; i++)
      g[i] += w[i] * x[micro * n + i];
    SUM(g);
    update(w, g, n);
    for (int i = 0; i < n; i++)
      g[i] = 0;
  }
}
void once(ARGUMENTS) {
  memset(g, 0, n * sizeof(float));
  for (int micro = 0; micro < accum; micro++)
    for (int i = 0; i < n; i++)
      g[i] += w[i] * x[micro * n + i];
  SUM(g);
  update(w, g, n);
}
void numbers([[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: V")]] const float *x, int steps) {
  float stats[2] = {0, 0};
  const int n = 2;
  for (int s = 0; s < steps; s++) {
    stats[0] += x[s];
    stats[1] += x[s] * x[s];
    if (s % 10 == 9) {
      SUM(stats);
      stats[0] = 0;
      stats[1] = 0;
    }
  }
}
