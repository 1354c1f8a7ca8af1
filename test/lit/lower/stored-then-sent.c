// What each rank stores in weights that are declared alike is no mistake where
// a collective makes one value of it next, there or in a function called for it.
// RUN: not %spmd-tidy %s -- -std=c11 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>
#include <stdbool.h>

struct job {
  SPMD_AXIS("dp") MPI_Comm comm;
  SPMD_TYPE("dp: V") int rank;
  SPMD_SIZE("dp") int size;
};
struct net {
  SPMD_TYPE("dp: R") float *w;
  float *g;
  int n;
};

// A parameter server: the root alone has the sum.
void serve(struct net *m, struct job *j, const float *g, float *sum) {
  MPI_Reduce(g, sum, m->n, MPI_FLOAT, MPI_SUM, 0, j->comm);
  if (j->rank == 0)
    for (int i = 0; i < m->n; ++i)
      m->w[i] -= 0.1f * sum[i] / j->size;
  MPI_Bcast(m->w, m->n, MPI_FLOAT, 0, j->comm);
}

void serve_alone(struct net *m, struct job *j, const float *g, float *sum) {
  MPI_Reduce(g, sum, m->n, MPI_FLOAT, MPI_SUM, 0, j->comm);
  // CHECK: [[#@LINE+1]]:7: error: from here on 'm.w' is V on 'dp'
  if (j->rank == 0)
    for (int i = 0; i < m->n; ++i)
      // CHECK: [[#@LINE+1]]:7: error: the value stored in 'm.w' must be R on 'dp', but 'm->w[i] -= 0.1f * sum[i] / j->size' is V
      m->w[i] -= 0.1f * sum[i] / j->size;
}

static void send_round(struct net *m, struct job *j) {
  MPI_Bcast(m->w, m->n, MPI_FLOAT, 0, j->comm);
}

void first_rows(struct net *m, struct job *j, SPMD_TYPE("dp: V") const float *x) {
  for (int i = 0; i < m->n; ++i)
    m->w[i] = x[i];
  send_round(m, j);
}

// Each rank has changed the model by its own before: the mean of all of them.
void average(struct net *m, struct job *j, SPMD_TYPE("dp: V") const float *x) {
  for (int i = 0; i < m->n; ++i)
    m->w[i] -= 0.1f * x[i];
  MPI_Allreduce(MPI_IN_PLACE, m->w, m->n, MPI_FLOAT, MPI_SUM, j->comm);
  for (int i = 0; i < m->n; ++i)
    m->w[i] /= j->size;
}

void too_early(struct net *m, struct job *j, SPMD_TYPE("dp: V") const float *x) {
  send_round(m, j);
  for (int i = 0; i < m->n; ++i)
    // CHECK: [[#@LINE+1]]:5: error: the value stored in 'm.w' must be R on 'dp', but 'x[i]' is V
    m->w[i] = x[i];
}

// On one of the ways alone.
void perhaps(struct net *m, struct job *j, SPMD_TYPE("dp: V") const float *x, bool sends) {
  for (int i = 0; i < m->n; ++i)
    // CHECK: [[#@LINE+1]]:5: error: the value stored in 'm.w' must be R on 'dp', but 'x[i]' is V
    m->w[i] = x[i];
  if (sends)
    send_round(m, j);
}

// Two ranks that send each other what they have, and add it.
void exchange(struct net *m, struct job *j, SPMD_TYPE("dp: V") const float *x, float *theirs) {
  for (int i = 0; i < m->n; ++i)
    m->g[i] = x[i] * m->w[i];
  MPI_Sendrecv(m->g, m->n, MPI_FLOAT, 1 - j->rank, 0, theirs, m->n, MPI_FLOAT, 1 - j->rank, 0, j->comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < m->n; ++i)
    m->g[i] += theirs[i];
  for (int i = 0; i < m->n; ++i)
    m->w[i] -= 0.1f * m->g[i];
}
