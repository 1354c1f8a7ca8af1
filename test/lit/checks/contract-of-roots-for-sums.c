// A broadcast of what the ranks were to add up.
// RUN: not %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DLOOP -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DRIGHT -isystem %stubs-dir 2>&1 | count 0
#ifdef RIGHT
#include <mpi.h>
#include <stdlib.h>
#define OWN [[spmd::type("dp: V")]] const float *a
#define GROUP [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::size("dp")]] int size, [[spmd::type("dp: V")]] int rank
/* The root adds up what messages bring. */
void messages(OWN, float *x, float *tmp, int n, GROUP) {
  for (int i = 0; i < n; i++) x[i] = a[i] * 2;
  if (rank == 0)
    for (int r = 1; r < size; r++) {
      MPI_Recv(tmp, n, MPI_FLOAT, r, 0, comm, MPI_STATUS_IGNORE);
      for (int i = 0; i < n; i++) x[i] += tmp[i];
    }
  else
    MPI_Send(x, n, MPI_FLOAT, 0, 0, comm);
  MPI_Bcast(x, n, MPI_FLOAT, 0, comm);
  for (int i = 0; i < n; i++) x[i] /= size;
}
/* The root gathers and adds up. */
void gathers(OWN, float *x, float *all, int n, GROUP) {
  float own = 0, total = 0;
  for (int i = 0; i < n; i++) own += a[i];
  MPI_Gather(&own, 1, MPI_FLOAT, all, 1, MPI_FLOAT, 0, comm);
  if (rank == 0)
    for (int r = 0; r < size; r++) total += all[r];
  MPI_Bcast(&total, 1, MPI_FLOAT, 0, comm);
  x[0] = total / size;
}
/* The root's work is shared out. */
void shares(OWN, float *x, int n, GROUP) {
  float total = 0;
  if (rank == 0)
    for (int i = 0; i < n; i++) total += a[i];
  MPI_Bcast(&total, 1, MPI_FLOAT, 0, comm);
  x[0] = total / size;
}
void buffer(OWN, float *x, int n, GROUP) {
  if (rank == 0)
    for (int i = 0; i < n; i++) x[i] = 2 * a[i];
  MPI_Bcast(x, n, MPI_FLOAT, 0, comm);
  for (int i = 0; i < n; i++) x[i] /= size;
}
void reduced(OWN, float *x, float *y, int n, GROUP) {
  for (int i = 0; i < n; i++) x[i] = a[i] * 2;
  MPI_Reduce(x, y, n, MPI_FLOAT, MPI_SUM, 0, comm);
  MPI_Bcast(y, n, MPI_FLOAT, 0, comm);
  for (int i = 0; i < n; i++) y[i] /= size;
}
void inPlace(OWN, float *x, int n, GROUP) {
  for (int i = 0; i < n; i++) x[i] = a[i] * 2;
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : x, x, n, MPI_FLOAT, MPI_SUM, 0, comm);
  MPI_Bcast(x, n, MPI_FLOAT, 0, comm);
  for (int i = 0; i < n; i++) x[i] /= size;
}
void helper(float *x, int n, MPI_Comm comm, int rank) {
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : x, x, n, MPI_FLOAT, MPI_SUM, 0, comm);
}
void byHelper(OWN, float *x, int n, GROUP) {
  for (int i = 0; i < n; i++) x[i] = a[i] * 2;
  helper(x, n, comm, rank);
  MPI_Bcast(x, n, MPI_FLOAT, 0, comm);
  for (int i = 0; i < n; i++) x[i] /= size;
}
#else
#include <mpi.h>
struct layer { int in, out; float *weight, *bias; };
struct act { int n; float *value; };
struct model {
  [[spmd::type("weight: tp: S(0); bias: tp: R")]] struct layer *fc;
  [[spmd::type("value: tp: S(1)")]] struct act *hidden;
  struct act *out;
};
static void forward(struct layer *l, struct act *x, struct act *y) {
  for (int o = 0; o < l->out; o++) {
    float sum = 0;
    for (int i = 0; i < l->in; i++)
      sum += x->value[i] * l->weight[i * l->out + o];
    y->value[o] = sum + l->bias[o];
  }
}
static void allreduce_mean(float *x, int n, MPI_Comm comm, int size) {
  MPI_Bcast(x, n, MPI_FLOAT, 0, comm); 
  for (int i = 0; i < n; i++)
    // CHECK: :[[#@LINE+1]]:{{.*}}error: 
    x[i] = x[i] / size;
}
void step(struct model *m, [[spmd::axis("tp")]] MPI_Comm comm, [[spmd::size("tp")]] int size) {
  forward(m->fc, m->hidden, m->out);
  allreduce_mean(m->out->value, m->out->n, comm, size);
}
#ifdef LOOP
void loop(struct model *m, [[spmd::axis("tp")]] MPI_Comm comm, [[spmd::size("tp")]] int size) {
  for (int i = 0; i < 10; i++)
    step(m, comm, size);
}
#endif
#endif
