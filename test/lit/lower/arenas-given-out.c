// Members that point into an allocation which the caller gets by a parameter.
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DSUM 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DSUM -DLATE 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DSUM -DBOTH 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DLATE 2>&1 | FileCheck %s
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -isystem %stubs-dir -std=c2x -DBOTH 2>&1 | FileCheck %s

#include <mpi.h>
#include <stdlib.h>

typedef struct {
  float *a, *b;
} Tensors;
typedef struct {
  Tensors t;
  float *mem;
} Grads;

static float *point(Tensors *p, float **mem) {
#if defined(BOTH)
  float *memory = malloc(20 * sizeof(float));
  float *it = memory;
#elif defined(LATE)
  float *it = malloc(20 * sizeof(float));
  *mem = it;
#else
  float *it = *mem = malloc(20 * sizeof(float));
#endif
  float **ptrs[] = {&p->a, &p->b};
  for (int i = 0; i < 2; i++) {
    *(ptrs[i]) = it;
    it += 10;
  }
#ifdef BOTH
  *mem = memory;
  return memory;
#else
  return NULL;
#endif
}

void train([[spmd::axis("dp")]] MPI_Comm dp,
           [[spmd::type("dp: V")]] const float *x,
           [[spmd::type("dp: R")]] float *w) {
  Grads g;
  point(&g.t, &g.mem);
  for (int i = 0; i < 20; i++)
    g.mem[i] = 0;
  for (int i = 0; i < 10; i++) {
    g.t.a[i] += x[i];
    g.t.b[i] += 2 * x[i];
  }
#ifdef SUM
  MPI_Allreduce(MPI_IN_PLACE, g.mem, 20, MPI_FLOAT, MPI_SUM, dp);
#endif
  for (int i = 0; i < 20; i++)
    // CHECK: [[#@LINE+1]]:5: error: {{.*}}'w'
    w[i] -= .1f * g.mem[i];
}
