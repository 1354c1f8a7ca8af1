// A shard of what is one tensor, updated by what each rank alone has computed.
// RUN: not %spmd-tidy --quiet %s -- -DM=4 -DAPART -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DM=5 -DAPART -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DM=0 -DAPART -isystem %stubs-dir 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DM=0 -isystem %stubs-dir 2>&1 | count 0
// CHECK: error: {{.*}}, of which each rank on 'dp' has a shard, and is what each of them alone has computed
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
struct layer { int in, out; [[spmd::type("dp: S(0)")]] float *weight; [[spmd::type("dp: S(0)")]] float *d_weight; };
static void backward(struct layer *l, [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: V")]] float *dx, float *buffer, float *other,
                     [[spmd::axis("dp")]] MPI_Comm comm, [[spmd::type("dp: V")]] int rank, int size) {
  int shard = l->in * l->out, full = shard * size;
#ifdef APART
  float *grad = other;
  memset(buffer, 0, sizeof(float) * full);
  memset(grad, 0, sizeof(float) * full);
#else
  float *grad = buffer + full;
  memset(buffer, 0, sizeof(float) * 2 * full);
#endif
  MPI_Allgather(l->weight, shard, MPI_FLOAT, buffer, shard, MPI_FLOAT, comm);
#if M == 2 /* scattered before it is there */
  MPI_Reduce_scatter_block(grad, l->d_weight, shard, MPI_FLOAT, MPI_SUM, comm);
#endif
  for (int i = 0; i < full; i++) {
    dx[i] += buffer[i] * x[i];
    grad[i] += x[i] * x[i];
  }
#if M == 0
  MPI_Reduce_scatter_block(grad, l->d_weight, shard, MPI_FLOAT, MPI_SUM, comm);
#elif M == 1 /* the weights are scattered */
  MPI_Reduce_scatter_block(buffer, l->d_weight, shard, MPI_FLOAT, MPI_SUM, comm);
#elif M == 3 /* a part of one's own */
  memcpy(l->d_weight, grad + rank * shard, sizeof(float) * shard);
#elif M == 4 /* among one rank */
  MPI_Reduce_scatter_block(grad, l->d_weight, shard, MPI_FLOAT, MPI_SUM, MPI_COMM_SELF);
#elif M == 5 /* not put back */
  l->d_weight = grad;
#endif
}
static void step(struct layer *l) {
  for (int i = 0; i < l->in * l->out; i++)
    l->weight[i] += -0.1f * l->d_weight[i];
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size, rank, n = atoi(argv[1]);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct layer l = {n / size, n};
  l.weight = calloc(n * n / size, sizeof(float));
  l.d_weight = calloc(n * n / size, sizeof(float));
  for (int i = 0; i < n * n / size; i++)
    l.weight[i] = rand();
  float *buffer = malloc(sizeof(float) * 2 * n * n), *other = malloc(sizeof(float) * n * n);
  [[spmd::type("dp: V")]] float *x = malloc(sizeof(float) * n * n);
  [[spmd::type("dp: V")]] float *dx = malloc(sizeof(float) * n * n);
  for (int k = 0; k < 10; k++) {
    memset(l.d_weight, 0, sizeof(float) * l.in * l.out);
    backward(&l, x, dx, buffer, other, MPI_COMM_WORLD, rank, size);
    step(&l);
  }
  MPI_Finalize();
}
