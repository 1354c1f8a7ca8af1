// A list whose elements point into one allocation: what is done by way of its
// elements is done to a part of that.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { Slots = 3, Each = 32, All = Slots * Each };

typedef struct {
  float *w, *g;
  int n;
} Slot;
typedef struct {
  Slot s[Slots];
  [[spmd::type("dp: R")]] float *params;
  float *grads;
} Net;

static void allocate(Net *m) {
  m->params = calloc(All, sizeof(float));
  m->grads = calloc(All, sizeof(float));
}
static void pointOneByOne(Net *m) {
  float *w = m->params, *g = m->grads;
  for (int i = 0; i < Slots; i++) {
    m->s[i].w = w;
    m->s[i].g = g;
    m->s[i].n = Each;
    w += Each;
    g += Each;
  }
}
static void pointByLiterals(Net *m) {
  for (int i = 0; i < Slots; i++)
    m->s[i] = (Slot){m->params + Each * i, m->grads + Each * i, Each};
}
static void pointByPointer(Net *m) {
  for (int i = 0; i < Slots; i++) {
    Slot *at = &m->s[i];
    at->w = m->params + Each * i;
    at->g = m->grads + Each * i;
  }
}
static void backwardOf(Slot *s, const float *x) {
  for (int j = 0; j < s->n; j++)
    s->g[j] += x[j] * s->w[j];
}
static void backward(Net *m, const float *x) {
  for (int i = Slots - 1; i >= 0; i--)
    backwardOf(&m->s[i], x);
}
static void updateSlots(Net *m) {
  for (int i = 0; i < Slots; i++)
    for (int j = 0; j < m->s[i].n; j++)
      // CHECK-DAG: [[#@LINE+1]]:7: error: from here on 'm.params' is V on 'dp'
      m->s[i].w[j] -= 0.1f * m->s[i].g[j];
}
static void updateAll(Net *m) {
  for (int j = 0; j < All; j++)
    // CHECK-DAG: [[#@LINE+1]]:5: error: from here on 'm.params' is V on 'dp'
    m->params[j] -= 0.1f * m->grads[j];
}
#define ARGUMENTS [[spmd::axis("dp")]] MPI_Comm dp, [[spmd::type("dp: V")]] const float *x
#define SUM(g, n) MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, dp)

void nobodySums(ARGUMENTS) {
  Net m;
  allocate(&m);
  pointByLiterals(&m);
  backward(&m, x);
  updateAll(&m);
}
void nobodySumsSlots(ARGUMENTS) {
  Net m;
  allocate(&m);
  pointOneByOne(&m);
  backward(&m, x);
  updateSlots(&m);
}
//===--- Right ------------------------------------------------------------===//

void writtenBySlots(ARGUMENTS) {
  Net m;
  allocate(&m);
  pointByLiterals(&m);
  for (int step = 0; step < 10; step++) {
    memset(m.grads, 0, All * sizeof(float));
    backward(&m, x);
    SUM(m.grads, All);
    updateAll(&m);
  }
}
void readBySlots(ARGUMENTS) {
  Net m;
  allocate(&m);
  pointOneByOne(&m);
  for (int step = 0; step < 10; step++) {
    memset(m.grads, 0, All * sizeof(float));
    backward(&m, x);
    SUM(m.grads, All);
    updateSlots(&m);
  }
}
void summedBySlots(ARGUMENTS) {
  Net m;
  allocate(&m);
  pointByPointer(&m);
  for (int step = 0; step < 10; step++) {
    for (int i = 0; i < Slots; i++)
      memset(m.s[i].g, 0, Each * sizeof(float));
    backward(&m, x);
    for (int i = 0; i < Slots; i++)
      SUM(m.s[i].g, Each);
    updateAll(&m);
  }
}
void inOneFunction(ARGUMENTS) {
  Net m;
  m.params = calloc(All, sizeof(float));
  m.grads = calloc(All, sizeof(float));
  for (int i = 0; i < Slots; i++)
    m.s[i] = (Slot){m.params + Each * i, m.grads + Each * i, Each};
  for (int i = 0; i < Slots; i++)
    for (int j = 0; j < Each; j++)
      m.s[i].g[j] = x[j] * m.s[i].w[j];
  SUM(m.grads, All);
  for (int j = 0; j < All; j++)
    m.params[j] -= .1f * m.grads[j];
}
