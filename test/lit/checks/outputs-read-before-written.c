// What is declared to be overwritten, and is read before anybody has put anything there.
// RUN: not %spmd-tidy --quiet %s -- -DM=1 -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=BEHIND --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DM=2 -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=COPIED --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DM=3 -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=SENT --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DM=0 -isystem %stubs-dir 2>&1 | count 0
// BEHIND: error: nothing has been put into 'w[i * n + j]' where 'mul' reads it, on any rank of 'dp': it holds what another use has left there, or nothing but zeros [spmd-contract]
// COPIED: error: nothing has been put into 'rows[index[i]]' where 'copy' reads it, on any rank of 'dp'
// SENT: error: nothing has been put into 'w[i * n + j]' where 'mul' reads it, on any rank of 'dp'
// SENT: error: nothing has been put into 'rows[index[i]]' where 'copy' reads it, on any rank of 'dp'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
struct layer { int n; [[spmd::type("dp: S(0)")]] float *weight; };

static void gather(const float *shard, int n, float *whole, MPI_Comm comm) {
#if M == 3
  MPI_Bcast(whole, n, MPI_FLOAT, 0, comm);
#else
  MPI_Allgather(shard, n, MPI_FLOAT, whole, n, MPI_FLOAT, comm);
#endif
}
static void multiply(const float *w, const float *x, float *y, int n) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < n; j++)
      sum += w[i * n + j] * x[j];
    y[i] = sum;
  }
}
static void forward(struct layer *l, [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: V")]] float *y,
                    [[spmd::type("-> dp: R")]] float *w, [[spmd::axis("dp")]] MPI_Comm comm) {
#if M == 1
  multiply(w, x, y, l->n);
  gather(l->weight, l->n, w, comm);
#else
  gather(l->weight, l->n, w, comm);
  multiply(w, x, y, l->n);
#endif
}
static void look_up(struct layer *l, [[spmd::type("dp: V")]] const int *index, [[spmd::type("dp: V")]] float *y,
                    [[spmd::type("-> dp: R")]] float *rows, [[spmd::axis("dp")]] MPI_Comm comm) {
#if M == 2
  for (int i = 0; i < l->n; i++)
    y[i] = rows[index[i]];
  gather(l->weight, l->n, rows, comm);
#else
  gather(l->weight, l->n, rows, comm);
  for (int i = 0; i < l->n; i++)
    y[i] = rows[index[i]];
#endif
}
// Right: what its callers have filled it with on rank 0, who say no more than what comes of it.
void send_round([[spmd::type("-> dp: R")]] float *w, [[spmd::type("dp: V")]] const float *x,
                [[spmd::type("dp: V")]] float *y, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  MPI_Bcast(w, n, MPI_FLOAT, 0, comm);
  multiply(w, x, y, n);
}
// Sums in place, by way of a number as well, and what is scaled there.
void add_up([[spmd::type("-> dp: R")]] float *sum, [[spmd::type("dp: R")]] const float *x, float decay, int n) {
  for (int i = 0; i < n; i++) {
    sum[i] = decay * sum[i] + x[i];
    sum[i] *= x[i];
    float old = sum[i];
    sum[i] = old * x[i] + 1;
  }
}
// Elements that the iteration before has made.
void prefix([[spmd::type("-> dp: R")]] float *out, [[spmd::type("dp: R")]] const float *x, float *y, int n) {
  for (int i = 0; i < n; i++) {
    if (i > 0)
      y[i] = out[i - 1] * x[i];
    out[i] = x[i];
  }
}
// What is gathered once, and kept in between.
void cached(struct layer *l, [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: V")]] float *y,
            [[spmd::type("-> dp: R")]] float *w, int again, [[spmd::axis("dp")]] MPI_Comm comm) {
  if (again > 0)
    gather(l->weight, l->n, w, comm);
  multiply(w, x, y, l->n);
}
// What nobody sees the making of.
void fill(float *w);
void elsewhere([[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: V")]] float *y,
               [[spmd::type("-> dp: R")]] float *w, int n) {
  fill(w);
  multiply(w, x, y, n);
}
// Nothing is declared of it: as programs that measure time have it.
void measured([[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: V")]] float *y, int n,
              [[spmd::axis("dp")]] MPI_Comm comm) {
  float *w = malloc(n * sizeof *w);
  MPI_Bcast(w, n, MPI_FLOAT, 0, comm);
  multiply(w, x, y, n);
}
void step(struct layer *a, struct layer *b, [[spmd::type("dp: V")]] int *index, [[spmd::type("dp: V")]] float *x,
          [[spmd::type("dp: V")]] float *y, [[spmd::axis("dp")]] MPI_Comm comm, int n) {
  float *buffer = malloc(n * sizeof *buffer);
  look_up(a, index, x, buffer, comm);
  forward(b, x, y, buffer, comm);
  free(buffer);
}
