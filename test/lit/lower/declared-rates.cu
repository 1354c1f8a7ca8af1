// A rate that is declared scales an update as one does that nobody described.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DHOW=ncclMax 2>&1 | FileCheck %s --check-prefix=MAX
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DBROADCAST 2>&1 | FileCheck %s --check-prefix=ONE
#include <cuda_runtime.h>
#include <nccl.h>

#ifndef HOW
#define HOW ncclSum
#endif

__global__ void gradient(float *g, const float *x, int n) {
  int i = threadIdx.x;
  if (i < n)
    g[i] = x[i] * x[i];
}

__global__ void step(float *w, const float *g, int n, float rate) {
  int i = threadIdx.x;
  if (i < n)
    // MAX: [[#@LINE+2]]:5: error: 'rate * g[i]' is made of the largest or smallest of the ranks' values on 'dp'
    // ONE: [[#@LINE+1]]:5: error: 'rate * g[i]' is made of what one rank of 'dp' has computed of its own data and sent round
    w[i] -= rate * g[i];
}

void train([[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: R")]] float *w,
           [[spmd::axis("dp")]] ncclComm_t comm, cudaStream_t stream, [[spmd::type("dp: R")]] float rate) {
  float *g;
  cudaMalloc(&g, 64 * sizeof(float));
  for (int i = 0; i < 100; ++i) {
    gradient<<<1, 64, 0, stream>>>(g, x, 64);
#ifdef BROADCAST
    ncclBroadcast(g, g, 64, ncclFloat, 0, comm, stream);
#else
    ncclAllReduce(g, g, 64, ncclFloat, HOW, comm, stream);
#endif
    step<<<1, 64, 0, stream>>>(w, g, 64, rate);
  }
}
