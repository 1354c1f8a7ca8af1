// Local tensors whose gradients are one buffer, which has a name, too.
// RUN: %spmd-tidy --quiet %s -- %runtime-include -DSUM 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cuda_runtime.h>
#include <nccl.h>

struct Tensor {
  float *data, *grad;
  int n;
};

__global__ void axpy(float a, const float *x, float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] += a * x[i];
}
__global__ void backward(const float *x, float *g, int n) {
  int i = threadIdx.x;
  if (i < n)
    g[i] += x[i];
}
#define ARGUMENTS \
  [[spmd::axis("dp")]] ncclComm_t dp, [[spmd::type("dp: R")]] float *w, \
      [[spmd::type("dp: V")]] const float *x, int n, cudaStream_t st

void updatedByTensors(ARGUMENTS) {
  Tensor t[2];
  float *g;
  cudaMalloc(&g, 2 * n * sizeof(float));
  cudaMemset(g, 0, 2 * n * sizeof(float));
  for (int i = 0; i < 2; i++) {
    t[i].data = w + i * n;
    t[i].grad = g + i * n;
    t[i].n = n;
  }
  for (int i = 0; i < 2; i++)
    backward<<<1, 256, 0, st>>>(x, t[i].grad, t[i].n);
#ifdef SUM
  ncclAllReduce(g, g, 2 * n, ncclFloat, ncclSum, dp, st);
#endif
  for (int i = 0; i < 2; i++)
    axpy<<<1, 256, 0, st>>>(-0.01f, t[i].grad, t[i].data, t[i].n);
}
// CHECK: [[#@LINE+1]]:19: error: parameter 'w' on exit must be R on 'dp'
void updatedAsOne(ARGUMENTS) {
  Tensor t[2];
  float *g;
  cudaMalloc(&g, 2 * n * sizeof(float));
  cudaMemset(g, 0, 2 * n * sizeof(float));
  for (int i = 0; i < 2; i++) {
    t[i].data = w + i * n;
    t[i].grad = g + i * n;
    t[i].n = n;
  }
  for (int i = 0; i < 2; i++)
    backward<<<1, 256, 0, st>>>(x, t[i].grad, t[i].n);
#ifdef SUM
  ncclAllReduce(g, g, 2 * n, ncclFloat, ncclSum, dp, st);
#endif
  axpy<<<1, 256, 0, st>>>(-0.01f, g, w, 2 * n);
}
