// A scatter for large layers alone, or in each third call: the others update by
// zeros, which nobody has frozen.
// RUN: not %spmd-tidy --quiet %s -- '-DCOND=if (size > 4)' -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- '-DCOND=if (l->in > 10)' -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DGETTER '-DCOND=if (shard_size > 1000)' -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- '-DCOND=static int calls; if (calls++ % 3 == 0)' -isystem %stubs-dir 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DCOND= -isystem %stubs-dir 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- '-DCOND=if (size > 1)' -isystem %stubs-dir 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- '-DCOND=if (l->in > 0)' -isystem %stubs-dir 2>&1 | count 0
// CHECK: error: {{.*}}nothing but zeros
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
struct layer { int in, out; [[spmd::type("dp: S(0)")]] float *weight; [[spmd::type("dp: S(0)")]] float *d_weight; };
#ifdef GETTER
static int numel(struct layer *l) { return l->in * l->out; }
#else
#define numel(l) (l->in * l->out)
#endif
static void backward(struct layer *l, [[spmd::type("dp: V")]] const float *x, float *buffer, [[spmd::axis("dp")]] MPI_Comm comm, int size) {
  int shard_size = numel(l);
  memset(buffer, 0, sizeof(float) * shard_size * size);
  for (int i = 0; i < shard_size * size; i++)
    buffer[i] += x[i];
  COND MPI_Reduce_scatter_block(buffer, l->d_weight, shard_size, MPI_FLOAT, MPI_SUM, comm);
}
static void step(struct layer *l) {
  for (int i = 0; i < l->in * l->out; i++)
    l->weight[i] += -0.1f * l->d_weight[i];
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size, n = atoi(argv[1]);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct layer l = {n / size, n};
  l.weight = calloc(n * n / size, sizeof(float));
  l.d_weight = calloc(n * n / size, sizeof(float));
  for (int i = 0; i < n * n / size; i++)
    l.weight[i] = rand();
  float *buffer = malloc(sizeof(float) * n * n);
  [[spmd::type("dp: V")]] float *x = malloc(sizeof(float) * n * n);
  for (int k = 0; k < 10; k++) {
    memset(l.d_weight, 0, sizeof(float) * l.in * l.out);
    backward(&l, x, buffer, MPI_COMM_WORLD, size);
    step(&l);
  }
  MPI_Finalize();
}
