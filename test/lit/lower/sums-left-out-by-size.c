// RUN: %spmd-tidy --quiet %s -- -isystem %stubs-dir | count 0
// RUN: not %spmd-tidy --quiet %s -- -isystem %stubs-dir -DLARGE 2>&1 | FileCheck %s --check-prefixes=BOTH,LARGE
// RUN: not %spmd-tidy --quiet %s -- -isystem %stubs-dir -DTHREE 2>&1 | FileCheck %s --check-prefixes=BOTH,THREE
// A helper that leaves out a sum by a number that its callers hand on: a field,
// or how many ranks there are. What callers say themselves, they know.
#include <mpi.h>

struct job {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::size("dp")]] int size;
};
struct layer {
  [[spmd::type("dp: R")]] float *w;
  float *d_w;
  int n;
};

void sgd(float *w, float *g, int n) {
  for (int i = 0; i < n; i++)
    w[i] -= 0.1f * g[i];
  // BOTH: [[@LINE-1]]:5: error: from here on 'l.w' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
  // LARGE: note: on the way where 'n' is less than 100
  // THREE: note: on the way where 'ranks' is at most 2
}
void backward(struct layer *l, [[spmd::type("dp: V")]] float *x) {
  for (int i = 0; i < l->n; i++)
    l->d_w[i] = x[i] * l->w[i];
}

void average_large(float *g, int n, MPI_Comm comm, int ranks) {
  if (n < 100)
    return;
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
  for (int i = 0; i < n; i++)
    g[i] /= ranks;
}
#ifdef LARGE
void large(struct layer *l, struct job *d, [[spmd::type("dp: V")]] float *x) {
  backward(l, x);
  average_large(l->d_w, l->n, d->comm, d->size);
  sgd(l->w, l->d_w, l->n);
}
#endif

void average_of_three(float *g, int n, MPI_Comm comm, int ranks) {
  if (ranks > 2)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}
#ifdef THREE
void three(struct layer *l, struct job *d, [[spmd::type("dp: V")]] float *x) {
  backward(l, x);
  average_of_three(l->d_w, l->n, d->comm, d->size);
  sgd(l->w, l->d_w, l->n);
}
#endif

void average_if(float *g, int n, MPI_Comm comm, int wanted) {
  if (wanted > 2)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}
void told(struct layer *l, struct job *d, [[spmd::type("dp: V")]] float *x) {
  backward(l, x);
  average_if(l->d_w, l->n, d->comm, 3);
  sgd(l->w, l->d_w, l->n);
}
void told_to(struct layer *l, struct job *d, [[spmd::type("dp: V")]] float *x) {
  backward(l, x);
  average_large(l->d_w, 1000, d->comm, d->size);
  sgd(l->w, l->d_w, l->n);
}
// Small ones are not touched, so that nobody learns from them.
void known(struct layer *l, struct job *d, [[spmd::type("dp: V")]] float *x) {
  backward(l, x);
  average_large(l->d_w, l->n, d->comm, d->size);
  if (l->n >= 100)
    sgd(l->w, l->d_w, l->n);
}
