// A struct of C owns what it holds by value, too: what main leaves different in
// it is found, behind a round that is skipped where ranks agree that there are
// no data, and on a way that an option chooses.
// RUN: not %spmd-tidy %s -- -std=c11 %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int shard;
} Config;

typedef struct {
  Config cfg;
  SPMD_TYPE("dp: R") float *params;
  float *grads;
  int n;
} Model;

typedef struct {
  SPMD_AXIS("dp") MPI_Comm comm;
  SPMD_TYPE("dp: V") int rank;
  SPMD_SIZE("dp") int size;
} Par;

static void backward(Model *m, const int *tokens) {
  memset(m->grads, 0, m->n * sizeof(float));
  for (int i = 0; i < m->n; i++)
    m->grads[tokens[i]] += 1.0f;
}

static void clip(Model *m, float limit) {
  for (int i = 0; i < m->n; i++)
    if (m->grads[i] > limit)
      m->grads[i] = limit;
}

static void average(Model *m, const Par *par) {
  MPI_Allreduce(MPI_IN_PLACE, m->grads, m->n, MPI_FLOAT, MPI_SUM, par->comm);
  for (int i = 0; i < m->n; i++)
    m->grads[i] /= par->size;
}

static void sgd(float *p, const float *g, int n) {
  for (int i = 0; i < n; i++)
    // CHECK: [[#@LINE+1]]:5: error: from here on 'm.params' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    p[i] -= 0.1f * g[i];
}

static void update(Model *m, const Par *par) {
  if (m->cfg.shard) {
    int len = m->n / par->size, from = len * par->rank;
    sgd(m->params + from, m->grads + from, len);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, m->params, len, MPI_FLOAT, par->comm);
  } else {
    sgd(m->params, m->grads, m->n);
  }
}

static int next(int *tokens, int n, const Par *par);

static void start(Model *m, const Config *c, const Par *par) {
  m->cfg = *c;
  m->n = 64;
  m->params = calloc(m->n, sizeof(float));
  m->grads = calloc(m->n, sizeof(float));
  MPI_Bcast(m->params, m->n, MPI_FLOAT, 0, par->comm);
}

void right(int argc, char **argv, const Par *par, SPMD_TYPE("dp: V") int *tokens) {
  Config cfg = {0};
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--shard") == 0)
      cfg.shard = 1;
  Model m;
  start(&m, &cfg, par);
  for (int step = 0; step < 100; step++) {
    int ok = next(tokens, m.n, par), all = 0;
    MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, par->comm);
    if (!all)
      continue;
    backward(&m, tokens);
    average(&m, par);
    clip(&m, 5.0f);
    update(&m, par);
  }
}

// CHECK: note: on the way where 'm->cfg.shard' is false
void dropped(int argc, char **argv, const Par *par, SPMD_TYPE("dp: V") int *tokens) {
  Config cfg = {0};
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--shard") == 0)
      cfg.shard = 1;
  Model m;
  start(&m, &cfg, par);
  for (int step = 0; step < 100; step++) {
    int ok = next(tokens, m.n, par), all = 0;
    MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, par->comm);
    if (!all)
      continue;
    backward(&m, tokens);
    clip(&m, 5.0f);
    update(&m, par);
  }
}
