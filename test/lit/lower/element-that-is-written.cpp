// A call that is given two elements of a list is about that which it writes:
// what it leaves out is found where all of them are used.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DRIGHT %stubs 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DFROM_OTHER %stubs 2>&1 | count 0
#include <mpi.h>

struct Layer {
  [[spmd::type("dp: R")]] float *w;
  [[spmd::type("dp: V")]] float *g;
  [[spmd::type("dp: V")]] float *sum;
  int n;
};
#ifdef RIGHT
#define TO 0
#define FROM 0
#elif defined(FROM_OTHER) // which lies in one buffer with the first
#define TO 0
#define FROM 1
#else
#define TO 2
#define FROM 0
#endif

static void step(int n, [[spmd::type("dp: R")]] float rate, [[spmd::type("dp: R")]] const float *sums,
                 [[spmd::type("dp: R")]] float *w) {
  for (int i = 0; i < n; i++)
    w[i] -= rate * sums[i];
}
void train(Layer *layers, int num, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int i = num - 1; i > 0; i--)
    MPI_Allreduce(layers[i].g, layers[i].sum, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
  MPI_Allreduce(layers[FROM].g, layers[TO].sum, layers[0].n, MPI_FLOAT, MPI_SUM, comm);
  for (int i = 0; i < num; i++)
    // CHECK: [[#@LINE+1]]:5: error: the argument for 'sums' must be R on 'dp', but 'layers[i].sum' is V
    step(layers[i].n, 0.1f, layers[i].sum, layers[i].w);
}
