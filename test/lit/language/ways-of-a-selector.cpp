// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
//
// A number that chooses one of several collectives counts neither ranks nor
// elements, even if it is 0 or 1. What an annotated function leaves in a buffer
// is judged in its callers, on each of its ways.

#include <mpi.h>

struct Config {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::size("dp")]] int size;
  int rank, stage;
};

void reduce([[spmd::type("dp: V")]] float *x, int n, Config *c) {
  const int part = n / c->size;
  if (c->stage == 0)
    MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, c->comm);
  else if (c->stage == 1)
    MPI_Reduce_scatter_block(x, x + part * c->rank, part, MPI_FLOAT, MPI_SUM,
                             c->comm);
}

void once([[spmd::type("dp: V")]] float *x, Config *c) { reduce(x, 4, c); }

void twice([[spmd::type("dp: V")]] float *x, Config *c) {
  reduce(x, 4, c);
  // CHECK: [[@LINE+3]]:3: error: the argument for 'x' must be V on 'dp', but 'x' is R or I: all ranks hold the same, which is taken for each one's own [spmd-contract]
  // CHECK: note: 'x' is R or I on 'dp': result of this all_reduce
  // CHECK: note: on the way where 'c->stage' is 0
  reduce(x, 4, c);
}

// Nothing is reduced where there is nothing to reduce, or nobody to talk to.
void count([[spmd::type("dp: V -> dp: R")]] float *x, float *y, int n,
           Config *c) {
  if (n == 0)
    return;
  if (n == 1) {
    y[0] = x[0];
    return;
  }
  MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, c->comm);
}
