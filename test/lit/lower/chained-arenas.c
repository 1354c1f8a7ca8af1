// Members that point into one allocation one behind the other are parts of what
// the first of them points to.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { In = 64, Out = 8, All = In * Out + Out };

typedef struct {
  [[spmd::type("dp: R")]] float *params;
  float *grads;
  float *w, *b, *dw, *db;
} Net;

static void setup(Net *m) {
  m->params = malloc(All * sizeof(float));
  m->grads = calloc(All, sizeof(float));
  m->w = m->params;
  m->b = m->w + In * Out;
  m->dw = m->grads;
  m->db = m->dw + In * Out;
  for (int i = 0; i < All; i++)
    m->params[i] = 0.01f * i;
}
static void backward(Net *m, const float *x) {
  for (int j = 0; j < Out; j++) {
    m->db[j] += x[j];
    for (int i = 0; i < In; i++)
      m->dw[i * Out + j] += x[i] * x[j];
  }
}
static void update(float *p, const float *g, int n) {
  for (int i = 0; i < n; i++)
    // CHECK-DAG: [[#@LINE+1]]:5: error: from here on {{.*}} is V on 'dp'
    p[i] -= 0.1f * g[i];
}
#define ARGUMENTS [[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: V")]] const float *x
#define SUM(g, n) MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp)

void biasIsLeftOut(ARGUMENTS) {
  Net m;
  setup(&m);
  backward(&m, x);
  SUM(m.dw, In * Out);
  update(m.w, m.dw, In * Out);
  update(m.b, m.db, Out);
}
//===--- Right ------------------------------------------------------------===//

void allAtOnce(ARGUMENTS) {
  Net m;
  setup(&m);
  for (int step = 0; step < 10; step++) {
    memset(m.grads, 0, All * sizeof(float));
    backward(&m, x);
    SUM(m.grads, All);
    update(m.params, m.grads, All);
  }
}
void oneByOne(ARGUMENTS, Net *m) {
  for (int step = 0; step < 10; step++) {
    memset(m->dw, 0, In * Out * sizeof(float));
    memset(m->db, 0, Out * sizeof(float));
    backward(m, x);
    SUM(m->dw, In * Out);
    SUM(m->db, Out);
    update(m->w, m->dw, In * Out);
    update(m->b, m->db, Out);
  }
}
