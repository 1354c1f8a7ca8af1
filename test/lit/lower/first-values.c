// What a buffer begins with each rank may draw or load by itself, where one of
// them sends its own round then; what is stored in it later is the same on all.
// RUN: not %spmd-tidy %s -- -std=c11 -D_GNU_SOURCE %runtime-include -isystem %mpi-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// REQUIRES: mpi

#include <mpi.h>
#include <spmd/annotations.h>
#include <stdlib.h>

struct layer {
  int n;
  SPMD_TYPE("dp: R") float *w;
  SPMD_TYPE("dp: R") float *b;
};

// CHECK: [[#@LINE+1]]:35: error: from here on 'l.w' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
static float drawn(void) { return (float)rand() / (float)RAND_MAX - .5f; }

static void init(struct layer *l, int n) {
  l->n = n;
  l->w = malloc(n * sizeof *l->w);
  l->b = calloc(n, sizeof *l->b);
  for (int i = 0; i < n; ++i)
    l->w[i] = drawn();
}

static float forward(const struct layer *l, SPMD_TYPE("dp: V") const float *x) {
  float y = 0;
  for (int i = 0; i < l->n; ++i)
    y += l->w[i] * x[i] + l->b[i];
  return y;
}

float sent(int n, SPMD_TYPE("dp: V") const float *x, SPMD_AXIS("dp") MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  srand(42 + rank);
  struct layer l;
  init(&l, n);
  MPI_Bcast(l.w, n, MPI_FLOAT, 0, comm);
  return forward(&l, x);
}

float kept(int n, SPMD_TYPE("dp: V") const float *x, SPMD_AXIS("dp") MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  srand(42 + rank);
  struct layer l;
  init(&l, n);
  return forward(&l, x);
}

// The first rows that each rank has, those of one rank then.
void centres(SPMD_TYPE("dp: V") const float *rows, int k, SPMD_AXIS("dp") MPI_Comm comm) {
  SPMD_TYPE("dp: R") float c[16];
  for (int i = 0; i < 16; ++i)
    c[i] = rows[i];
  MPI_Bcast(c, 16, MPI_FLOAT, 0, comm);
  for (int r = 0; r < k; ++r) {
    float sum[16] = {0};
    for (int i = 0; i < 16; ++i)
      sum[i] += c[i] * rows[i];
    MPI_Allreduce(MPI_IN_PLACE, sum, 16, MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < 16; ++i)
      c[i] = sum[i];
  }
}

void own_centres(SPMD_TYPE("dp: V") const float *rows, int k, SPMD_AXIS("dp") MPI_Comm comm) {
  SPMD_TYPE("dp: R") float c[16];
  for (int i = 0; i < 16; ++i)
    c[i] = rows[i];
  MPI_Bcast(c, 16, MPI_FLOAT, 0, comm);
  for (int r = 0; r < k; ++r) {
    float sum[16] = {0};
    for (int i = 0; i < 16; ++i)
      sum[i] += c[i] * rows[i];
    for (int i = 0; i < 16; ++i)
      // CHECK: [[#@LINE+1]]:7: error: the value of 'c' must be R on 'dp', but 'sum[i]' is V: the ranks hold different values, which are taken for one [spmd-contract]
      c[i] = sum[i];
  }
}

// A generator of one's own begins with the number that seeds it.
void fromOwnSeed(int n, SPMD_TYPE("dp: R") float *w, SPMD_AXIS("dp") MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  unsigned seed = 5 + rank;
  for (int i = 0; i < n; ++i)
    w[i] = rand_r(&seed) / (float)RAND_MAX;
  // CHECK: [[#@LINE-1]]:5: error: the value of 'w' must be R on 'dp'
}
void fromOneSeed(int n, SPMD_TYPE("dp: R") float *w) {
  unsigned seed = 5;
  for (int i = 0; i < n; ++i)
    w[i] = rand_r(&seed) / (float)RAND_MAX;
}
