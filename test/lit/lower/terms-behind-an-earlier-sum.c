// A sum that nobody has cleared is still in what several micro-steps have added
// terms to.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <string.h>

#define ARGUMENTS                                                              \
  [[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: R")]] float *w,          \
      float *g, int n, [[spmd::type("dp: V")]] const float *x
#define SUM MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp)
#define STEP                                                                   \
  for (int i = 0; i < n; i++)                                                  \
    w[i] -= g[i]

static void inCallee(float *g, const float *w, const float *x, int n) {
  for (int i = 0; i < n; i++)
    // CHECK-DAG: [[#@LINE+1]]:5: error: 'g[i]', which a sum over 'dp' has left, is added to 'w[i] * x[i]' in 'add'
    g[i] += w[i] * x[i];
}
void notCleared(ARGUMENTS) {
  memset(g, 0, n * sizeof *g);
  for (int s = 0; s < 10; s++) {
    for (int k = 0; k < 8; k++)
      inCallee(g, w, x, n);
    SUM;
    STEP;
  }
}
void notClearedHere(ARGUMENTS) {
  memset(g, 0, n * sizeof *g);
  for (int s = 0; s < 10; s++) {
    for (int k = 0; k < 8; k++)
      for (int i = 0; i < n; i++)
        // CHECK-DAG: [[#@LINE+1]]:9: error: 'g[i]', which a sum over 'dp' has left, is added to 'w[i] * x[i + k]' in 'add'
        g[i] += w[i] * x[i + k];
    SUM;
    STEP;
  }
}
static void once(float *g, const float *w, const float *x, int n) {
  for (int i = 0; i < n; i++)
    // CHECK-DAG: [[#@LINE+1]]:5: error: 'g[i]', which a sum over 'dp' has left, is added to 'w[i] * x[i]' in 'add'
    g[i] += w[i] * x[i];
}
void twoTermsBehindASum(ARGUMENTS) {
  once(g, w, x, n);
  SUM;
  once(g, w, x, n);
  once(g, w, x + n, n);
  SUM;
  STEP;
}
static void inAStep(MPI_Comm dp, float *w, float *g, int n, const float *x) {
  for (int i = 0; i < n; i++)
    // CHECK-DAG: [[#@LINE+1]]:5: error: 'g[i]', which a sum over 'dp' has left, is added to 'w[i] * x[i]' in 'add'
    g[i] += w[i] * x[i];
  SUM;
  STEP;
}
void ofOtherData(ARGUMENTS) {
  memset(g, 0, n * sizeof *g);
  for (int s = 0; s < 10; s++)
    inAStep(dp, w, g, n, x + s * n);
}

//===--- Right ------------------------------------------------------------===//

static void added(float *g, const float *w, const float *x, int n) {
  for (int i = 0; i < n; i++)
    g[i] += w[i] * x[i];
}
void cleared(ARGUMENTS) {
  for (int s = 0; s < 10; s++) {
    memset(g, 0, n * sizeof *g);
    for (int k = 0; k < 8; k++)
      added(g, w, x, n);
    SUM;
    STEP;
  }
}
void clearedBehind(ARGUMENTS) {
  memset(g, 0, n * sizeof *g);
  for (int s = 0; s < 10; s++) {
    for (int k = 0; k < 8; k++)
      for (int i = 0; i < n; i++)
        g[i] += w[i] * x[i + k];
    SUM;
    STEP;
    memset(g, 0, n * sizeof *g);
  }
}
void clearedInTheFirst(ARGUMENTS) {
  for (int s = 0; s < 10; s++) {
    for (int k = 0; k < 8; k++) {
      if (k == 0)
        memset(g, 0, n * sizeof *g);
      added(g, w, x, n);
    }
    SUM;
    STEP;
  }
}
void overwrittenByTheFirst(ARGUMENTS) {
  for (int s = 0; s < 10; s++) {
    for (int k = 0; k < 8; k++)
      for (int i = 0; i < n; i++)
        g[i] = k == 0 ? w[i] * x[i] : g[i] + w[i] * x[i + k];
    SUM;
    STEP;
  }
}
void inTheLast(ARGUMENTS) {
  for (int s = 0; s < 10; s++) {
    memset(g, 0, n * sizeof *g);
    for (int k = 0; k < 8; k++) {
      added(g, w, x, n);
      if (k == 7)
        SUM;
    }
    STEP;
  }
}
void averages(ARGUMENTS) {
  int ranks;
  MPI_Comm_size(dp, &ranks);
  memset(g, 0, n * sizeof *g);
  for (int s = 0; s < 10; s++) {
    for (int k = 0; k < 8; k++)
      added(g, w, x, n);
    SUM;
    for (int i = 0; i < n; i++)
      g[i] /= ranks;
    STEP;
  }
}
// What was summed is added to what was not, of another batch.
void toOthers(ARGUMENTS, float *m) {
  for (int s = 0; s < 10; s++) {
    memset(g, 0, n * sizeof *g);
    for (int k = 0; k < 8; k++)
      added(g, w, x, n);
    SUM;
    for (int i = 0; i < n; i++)
      m[i] += g[i];
    for (int i = 0; i < n; i++)
      w[i] -= m[i];
  }
}
