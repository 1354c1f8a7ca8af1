// A step takes what the iteration has summed: what an earlier one has left is
// no sum of its gradients, and before the first one there is none.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>

struct Layer {
  [[spmd::type("dp: R")]] float *w;
  [[spmd::type("dp: V")]] float *g;
  [[spmd::type("dp: V")]] float *sum;
  int n;
};

static void step(int n, [[spmd::type("dp: R")]] float rate, [[spmd::type("dp: R")]] const float *sums,
                 [[spmd::type("dp: R")]] float *w) {
  for (int i = 0; i < n; i++)
    w[i] -= rate * sums[i];
}
static void backward(Layer *layers, int num, [[spmd::type("dp: V")]] const float *x) {
  for (int i = 0; i < num; i++)
    for (int k = 0; k < layers[i].n; k++)
      layers[i].g[k] = layers[i].w[k] * x[k];
}

void everyOther(Layer *layers, int num, [[spmd::type("dp: V")]] const float *x, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int s = 0; s < 100; s++) {
    backward(layers, num, x);
    for (int i = 0; i < num; i++)
      if (layers[i].n > 0 && s % 2 == 0)
        MPI_Allreduce(layers[i].g, layers[i].sum, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < num; i++)
      // CHECK: [[#@LINE+1]]:7: error: the argument for 'sums' must be R on 'dp', but 'layers[i].sum' is V
      step(layers[i].n, 0.1f, layers[i].sum, layers[i].w);
  }
}
void firstLate(Layer *layers, int num, [[spmd::type("dp: V")]] const float *x, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int s = 0; s < 100; s++) {
    backward(layers, num, x);
    for (int i = num - 1; i > 0; i--)
      MPI_Allreduce(layers[i].g, layers[i].sum, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < num; i++)
      // CHECK: [[#@LINE+1]]:7: error: the argument for 'sums' must be R on 'dp', but 'layers[i].sum' is V
      step(layers[i].n, 0.1f, layers[i].sum, layers[i].w);
    MPI_Allreduce(layers[0].g, layers[0].sum, layers[0].n, MPI_FLOAT, MPI_SUM, comm);
  }
}

// Both, or none.
void everyOtherAll(Layer *layers, int num, [[spmd::type("dp: V")]] const float *x, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int s = 0; s < 100; s++) {
    backward(layers, num, x);
    if (s % 2 == 0)
      for (int i = 0; i < num; i++) {
        MPI_Allreduce(layers[i].g, layers[i].sum, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
        step(layers[i].n, 0.1f, layers[i].sum, layers[i].w);
      }
  }
}
void everyOtherApart(Layer *layers, int num, [[spmd::type("dp: V")]] const float *x, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int s = 0; s < 100; s++) {
    backward(layers, num, x);
    for (int i = 0; i < num; i++)
      if (s % 2 == 0)
        MPI_Allreduce(layers[i].g, layers[i].sum, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < num; i++)
      if (s % 2 == 0)
        step(layers[i].n, 0.1f, layers[i].sum, layers[i].w);
  }
}
// Figures that are asked for now and then, and kept.
static void clip(int n, [[spmd::type("dp: R")]] const float *norm, [[spmd::type("dp: V")]] float *g) {
  for (int i = 0; i < n; i++)
    g[i] /= norm[0];
}
void kept(Layer *layers, int num, [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: V")]] float *mine,
          [[spmd::type("dp: V")]] float *all, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int s = 0; s < 100; s++) {
    backward(layers, num, x);
    mine[0] = x[0] * x[0];
    if (s % 10 == 0)
      MPI_Allreduce(mine, all, 1, MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < num; i++) {
      clip(layers[i].n, all, layers[i].g);
      MPI_Allreduce(layers[i].g, layers[i].sum, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
      step(layers[i].n, 0.1f, layers[i].sum, layers[i].w);
    }
  }
}
// One behind the other: the first step has nothing to take yet.
void pipelined(Layer *layers, int num, [[spmd::type("dp: V")]] const float *x, [[spmd::axis("dp")]] MPI_Comm comm) {
  for (int s = 0; s < 100; s++) {
    backward(layers, num, x);
    for (int i = num - 1; i > 0; i--)
      MPI_Allreduce(layers[i].g, layers[i].sum, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    if (s > 0)
      for (int i = 0; i < num; i++)
        step(layers[i].n, 0.1f, layers[i].sum, layers[i].w);
    MPI_Allreduce(layers[0].g, layers[0].sum, layers[0].n, MPI_FLOAT, MPI_SUM, comm);
  }
}
void summedBefore(Layer *layers, int num, [[spmd::type("dp: V")]] const float *x, [[spmd::axis("dp")]] MPI_Comm comm) {
  backward(layers, num, x);
  MPI_Allreduce(layers[0].g, layers[0].sum, layers[0].n, MPI_FLOAT, MPI_SUM, comm);
  for (int s = 0; s < 100; s++) {
    for (int i = num - 1; i > 0; i--)
      MPI_Allreduce(layers[i].g, layers[i].sum, layers[i].n, MPI_FLOAT, MPI_SUM, comm);
    for (int i = 0; i < num; i++)
      step(layers[i].n, 0.1f, layers[i].sum, layers[i].w);
    backward(layers, num, x);
    MPI_Allreduce(layers[0].g, layers[0].sum, layers[0].n, MPI_FLOAT, MPI_SUM, comm);
  }
}
