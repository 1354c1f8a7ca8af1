// RUN: not %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// Shards stay shards: where a pointer to them is stored in a field that says how
// they lie, where their elements are updated, and in who is given them.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct job {
  [[spmd::axis("tp")]] MPI_Comm comm;
  [[spmd::type("tp: V")]] int rank;
  [[spmd::size("tp")]] int size;
};
struct layer {
  [[spmd::type("tp: S(0)")]] float *w;
  [[spmd::type("tp: S(1)")]] float *hidden;
  float *d_w, *out;
  int n;
};

void average(float *x, int n, MPI_Comm comm, int ranks) {
  MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, comm);
  // CHECK: [[@LINE-1]]:3: error: all_reduce on 'tp' adds up 'x', of which each rank has another shard: elements that have nothing to do with each other are added [spmd-src-type]
  for (int i = 0; i < n; i++)
    x[i] /= ranks;
}
void step(float *w, float *g, int n) {
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * g[i];
}

void averaged(struct job *j, struct layer *l, const float *all, int n) {
  float *part = malloc(n * sizeof(float));
  memcpy(part, all + j->rank * n, n * sizeof(float));
  l->w = part;
  for (int k = 0; k < 10; k++) {
    step(l->w, l->d_w, n);
    average(l->w, n, j->comm, j->size);
  }
}

// A product has no place for shards of its operands: each rank has its terms.
void products(struct job *j, struct layer *l, [[spmd::type("tp: R")]] float *x) {
  for (int i = 0; i < l->n; i++)
    l->out[i] = l->w[i] * x[i];
  MPI_Allreduce(MPI_IN_PLACE, l->out, l->n, MPI_FLOAT, MPI_SUM, j->comm);
}

void hidden(struct job *j, struct layer *l, [[spmd::type("tp: R")]] float *x) {
  for (int i = 0; i < l->n; i++)
    l->hidden[i] = l->w[i] * x[i];
  MPI_Allreduce(MPI_IN_PLACE, l->hidden, l->n, MPI_FLOAT, MPI_SUM, j->comm);
  // CHECK: [[@LINE-1]]:3: error: all_reduce on 'tp' adds up 'l.hidden', of which each rank has another shard: elements that have nothing to do with each other are added [spmd-src-type]
}
