// A function that changes each rank's own part of a buffer leaves the whole
// different, also where the part is to it what it was.
// RUN: not %spmd-tidy %s -- %runtime-include -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <spmd/annotations.h>

typedef struct {
  SPMD_TYPE("dp: R") float *params;
  SPMD_TYPE("dp: R") float *grads;
  float *moments;
  int n;
} Model;
typedef struct {
  SPMD_AXIS("dp") MPI_Comm comm;
  SPMD_TYPE("dp: V") int rank;
  SPMD_SIZE("dp") int size;
} Group;

static void step(float *p, const float *g, float *m, int n) {
  for (int i = 0; i < n; i++) {
    m[i] = 0.9f * m[i] + 0.1f * g[i];
    p[i] -= m[i];
  }
}

void right(Model *m, const Group *g) {
  const int part = m->n / g->size, from = part * g->rank;
  step(m->params + from, m->grads + from, m->moments, part);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_FLOAT, m->params, part, MPI_FLOAT,
                g->comm);
}
void gatherForgotten(Model *m, const Group *g) {
  const int part = m->n / g->size, from = part * g->rank;
  // CHECK: [[#@LINE+1]]:8: error: from here on 'm.params' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
  step(m->params + from, m->grads + from, m->moments, part);
}
