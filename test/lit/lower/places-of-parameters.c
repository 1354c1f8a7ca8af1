// A buffer that a function is given, and has in two members: gathered weights, and gradients behind them.
// RUN: %spmd-tidy --quiet %s -- -DM=0 -isystem %stubs-dir 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DM=1 -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=WEIGHTS --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DM=2 -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=EARLY --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DM=3 -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=OWN --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DM=4 -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=SELF --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DM=5 -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=ZEROS --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DM=6 -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=LEFT --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DM=7 -isystem %stubs-dir 2>&1 | FileCheck %s --check-prefix=SHARD --implicit-check-not=error:
// WEIGHTS: error: reduce_scatter on 'dp' takes V or P, but 'full' is R or I
// EARLY: error: {{.*}} holds nothing but zeros here, or nothing at all, on every rank
// OWN: error: {{.*}} is each rank's part, by its place on 'dp', of what it alone has computed
// SELF: error: {{.*}}of which each rank on 'dp' has a shard, and is what each of them alone has computed
// ZEROS: error: nothing has been put into 'l->w[i]' where 'mul' reads it, on any rank of 'dp'
// LEFT: error: what this leaves for 'l.dw' on 'dp' nobody finds: when the function ends, that names another buffer than when it began
// LEFT: error: {{.*}}of which each rank on 'dp' has a shard, and is what each of them alone has computed
// SHARD: error: 'l.w' is put back, and names each rank's shard on 'dp' all the time: nobody reads the whole, which is gathered into 'buffer'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int n; float *w, *dw; } Layer;
typedef struct { [[spmd::type("w: dp: S(0); dw: dp: S(0)")]] Layer *first, *last; } Net;

static void gather(float *shard, int n, float *whole, MPI_Comm comm) {
  MPI_Allgather(shard, n, MPI_FLOAT, whole, n, MPI_FLOAT, comm);
}
static void scatter(float *full, float *shard, int n, MPI_Comm comm, int size) {
  int counts[size];
  for (int i = 0; i < size; i++)
    counts[i] = n;
  MPI_Reduce_scatter(full, shard, counts, MPI_FLOAT, MPI_SUM, comm);
  for (int i = 0; i < n; i++)
    shard[i] = shard[i] / size;
}
static void product(Layer *l, const float *x, float *y) {
  for (int i = 0; i < l->n; i++)
    y[i] = x[i] * l->w[i];
}
static void product_backward(Layer *l, const float *x, const float *dy, float *dx) {
  for (int i = 0; i < l->n; i++) {
    dx[i] += dy[i] * l->w[i];
    l->dw[i] += dy[i] * x[i];
  }
}
static void forward(Layer *l, const float *x, float *y, [[spmd::type("-> dp: R")]] float *buffer, MPI_Comm comm,
                    int size) {
  int shard_n = l->n;
  gather(l->w, shard_n, buffer, comm);
  float *shard = l->w;
#if M != 7
  l->w = buffer;
#endif
  l->n = shard_n * size;
  product(l, x, y);
  l->w = shard;
  l->n = shard_n;
}
static void backward(Layer *l, const float *x, const float *dy, float *dx, float *buffer, MPI_Comm comm, int size) {
  int shard_n = l->n, full = shard_n * size;
  memset(buffer, 0, 2 * full * sizeof(float));
#if M != 5
  gather(l->w, shard_n, buffer, comm);
#endif
  float *shard = l->w, *d_shard = l->dw;
  l->w = buffer;
  l->dw = buffer + full;
  l->n = full;
#if M == 2
  scatter(buffer + full, d_shard, shard_n, comm, size);
#endif
  product_backward(l, x, dy, dx);
#if M == 0 || M >= 5
  scatter(buffer + full, d_shard, shard_n, comm, size);
#elif M == 1
  scatter(buffer, d_shard, shard_n, comm, size);
#elif M == 3
  int rank;
  MPI_Comm_rank(comm, &rank);
  memcpy(d_shard, buffer + full + rank * shard_n, shard_n * sizeof(float));
#elif M == 4
  scatter(buffer + full, d_shard, shard_n, MPI_COMM_SELF, 1);
#endif
  l->w = shard;
#if M != 6
  l->dw = d_shard;
#endif
  l->n = shard_n;
}
static void sgd(float *w, const float *dw, int n, float rate) {
  for (int i = 0; i < n; i++)
    w[i] += -rate * dw[i];
}
static Layer *layer_of(int n) {
  Layer *l = malloc(sizeof *l);
  l->n = n;
  l->w = malloc(n * sizeof(float));
  l->dw = calloc(n, sizeof(float));
  for (int i = 0; i < n; i++)
    l->w[i] = rand() / (float)RAND_MAX;
  return l;
}
// All of it at once, one part after the other, and a setup that leaves both names.
void all_at_once(Layer *l, float *buffer, [[spmd::type("dp: V")]] const float *x, int n,
                 [[spmd::axis("dp")]] MPI_Comm comm) {
  l->w = buffer;
  l->dw = buffer + n;
  for (int i = 0; i < n; i++) {
    l->w[i] = x[i];
    l->dw[i] = x[i] * x[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, buffer, 2 * n, MPI_FLOAT, MPI_SUM, comm);
  [[spmd::type("dp: R")]] float first = l->w[0], second = l->dw[0];
}
void one_by_one(Layer *l, float *buffer, [[spmd::type("dp: V")]] const float *x, int n,
                [[spmd::axis("dp")]] MPI_Comm comm) {
  l->w = buffer;
  l->dw = buffer + n;
  for (int i = 0; i < n; i++) {
    l->w[i] = x[i];
    l->dw[i] = x[i] * x[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, buffer, n, MPI_FLOAT, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, buffer + n, n, MPI_FLOAT, MPI_SUM, comm);
  [[spmd::type("dp: R")]] float first = l->w[0], second = l->dw[0];
}
void set_up(Layer *l, float *buffer, int n, [[spmd::type("dp: V")]] const float *x, float *y,
            [[spmd::axis("dp")]] MPI_Comm comm) {
  memset(buffer, 0, 2 * n * sizeof(float));
  l->w = buffer;
  l->dw = buffer + n;
  for (int i = 0; i < n; i++)
    y[i] = x[i] * l->w[i];
  MPI_Bcast(buffer, 2 * n, MPI_FLOAT, 0, comm);
}
void load(float *x, int n);
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  [[spmd::axis("dp")]] MPI_Comm comm = MPI_COMM_WORLD;
  [[spmd::size("dp")]] int size;
  MPI_Comm_size(comm, &size);
  int n = 64 / size;
  Net net;
  net.first = layer_of(n);
  net.last = layer_of(n);
  float *buffer = malloc(2 * n * size * sizeof(float));
  [[spmd::type("dp: V")]] float *x = malloc(64 * sizeof(float));
  float *h = malloc(64 * sizeof(float)), *y = malloc(64 * sizeof(float));
  float *dh = malloc(64 * sizeof(float)), *dx = malloc(64 * sizeof(float));
  for (int step = 0; step < 100; step++) {
    load(x, 64);
    forward(net.first, x, h, buffer, comm, size);
    forward(net.last, h, y, buffer, comm, size);
    memset(dh, 0, 64 * sizeof(float));
    memset(dx, 0, 64 * sizeof(float));
    backward(net.last, h, y, dh, buffer, comm, size);
    backward(net.first, x, dh, dx, buffer, comm, size);
    sgd(net.first->w, net.first->dw, n, 0.1f);
    sgd(net.last->w, net.last->dw, n, 0.1f);
  }
  MPI_Finalize();
  return 0;
}
