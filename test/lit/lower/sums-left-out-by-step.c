// A callee that sums in some steps alone, of which its caller hands on the
// number, leaves it out in the others; whoever updates in the same steps is right.
// RUN: not %spmd-tidy %s -- -std=c11 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>
#include <stdio.h>

struct job {
  SPMD_AXIS("dp") MPI_Comm comm;
  SPMD_SIZE("dp") int size;
};
struct net {
  SPMD_TYPE("dp: R") float *w;
  float *g;
  int n;
};

static void backward(struct net *m, struct job *j, const float *x, int step) {
  for (int i = 0; i < m->n; ++i)
    m->g[i] = x[i] * m->w[i];
  if (step % 2 == 0)
    MPI_Allreduce(MPI_IN_PLACE, m->g, m->n, MPI_FLOAT, MPI_SUM, j->comm);
}

static void update(struct net *m) {
  for (int i = 0; i < m->n; ++i)
    // CHECK: [[#@LINE+1]]:5: error: the value stored in 'm.w' must be R on 'dp', but 'm->w[i] -= 0.1f * m->g[i]' is V
    m->w[i] -= 0.1f * m->g[i];
  // CHECK: {{.*}}:[[#@LINE-8]]:7: note: on the way where 'step % 2' is not 0
}

void in_each(struct net *m, struct job *j, SPMD_TYPE("dp: V") const float *x) {
  for (int step = 0; step < 100; ++step) {
    backward(m, j, x, step);
    update(m);
    if (step % 10 == 0)
      printf("%d\n", step);
  }
}

static void accumulate(struct net *m, struct job *j, const float *x, int number) {
  for (int i = 0; i < m->n; ++i)
    m->g[i] += x[i] * m->w[i];
  if (number % 4 == 3)
    MPI_Allreduce(MPI_IN_PLACE, m->g, m->n, MPI_FLOAT, MPI_SUM, j->comm);
}

static void update_and_clear(struct net *m) {
  for (int i = 0; i < m->n; ++i) {
    m->w[i] -= 0.1f * m->g[i];
    m->g[i] = 0;
  }
}

void in_some(struct net *m, struct job *j, SPMD_TYPE("dp: V") const float *x) {
  for (int step = 0; step < 100; ++step) {
    accumulate(m, j, x, step);
    if (step % 4 == 3)
      update_and_clear(m);
  }
}
