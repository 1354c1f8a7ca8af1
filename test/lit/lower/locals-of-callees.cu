// A local that is declared to be the same on all ranks must be so where its
// function ends, whoever calls that.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

[[spmd::axis("dp")]] ncclComm_t comm;
[[spmd::type("dp: V")]] float *batch;

__global__ void sgd(float *w, const float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    w[i] -= g[i];
}
static void right(const float *start, float *g, int n) {
  [[spmd::type("dp: R")]] float *w;
  cudaMalloc(&w, n * sizeof(float));
  cudaMemcpy(w, start, n * sizeof(float), cudaMemcpyHostToDevice);
  for (int step = 0; step < 10; ++step) {
    cudaMemcpy(g, batch, n * sizeof(float), cudaMemcpyDeviceToDevice);
    ncclAllReduce(g, g, n, ncclFloat, ncclSum, comm, 0);
    sgd<<<1, 2>>>(w, g, n);
  }
}
static void forgotten(const float *start, float *g, int n) {
  [[spmd::type("dp: R")]] float *w;
  cudaMalloc(&w, n * sizeof(float));
  cudaMemcpy(w, start, n * sizeof(float), cudaMemcpyHostToDevice);
  for (int step = 0; step < 10; ++step) {
    cudaMemcpy(g, batch, n * sizeof(float), cudaMemcpyDeviceToDevice);
    // CHECK: [[#@LINE+1]]:5: error: from here on 'w' is V on 'dp', and nothing makes it R again, as it is declared, before the function ends: the ranks hold different values, which are taken for one [spmd-contract]
    sgd<<<1, 2>>>(w, g, n);
  }
}
void train([[spmd::type("dp: R")]] const float *start, float *g, int n) {
  right(start, g, n);
  forgotten(start, g, n);
}
