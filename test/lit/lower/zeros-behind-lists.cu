// Gradients in one buffer, of which a list of pointers has the parts: what is
// written by way of the list is in the buffer, which holds zeros no more.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -DHELPER 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -DHELPER -DCALLEE 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -DCALLEE 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DHELPER -DCALLEE -DTWICE 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DHELPER -DNOTHING 2>&1 | FileCheck %s --check-prefix=NOTHING
#include <cuda_runtime.h>
#include <nccl.h>

enum { Layers = 4, Total = 64 };

__global__ void gradient(float *g, const float *x, int n) {
  int i = threadIdx.x;
  if (i < n)
    g[i] = x[i];
}

__global__ void step(float *w, const float *g, int n) {
  int i = threadIdx.x;
  if (i < n)
    // NOTHING: [[#@LINE+1]]:5: error: '0.1f * g[i]' updates 'w[i]' and holds nothing but zeros here
    w[i] -= 0.1f * g[i];
}

static void assign(float **parts, float *base, const size_t *sizes, int n) {
  float *at = base;
  for (int i = 0; i < n; ++i) {
    parts[i] = at;
    at += sizes[i];
  }
}

static void layer(float **grads, const float *x, int l) { gradient<<<1, 32>>>(grads[l], x, 16); }

static void backward(float **grads, const float *x) {
  for (int l = Layers - 1; l >= 0; --l)
    layer(grads, x, l);
}

void train([[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: R")]] float *w,
           [[spmd::axis("dp")]] ncclComm_t comm, cudaStream_t stream, const size_t *sizes) {
  float *all, *grads[Layers];
  cudaMalloc(&all, Total * sizeof(float));
#ifdef HELPER
  assign(grads, all, sizes, Layers);
#else
  float *at = all;
  for (int i = 0; i < Layers; ++i) {
    grads[i] = at;
    at += sizes[i];
  }
#endif
  for (int i = 0; i < 100; ++i) {
    cudaMemset(all, 0, Total * sizeof(float));
#ifdef NOTHING
#elif defined(CALLEE)
    backward(grads, x);
#else
    gradient<<<1, 32>>>(grads[i % Layers], x, 16);
#endif
    ncclAllReduce(all, all, Total, ncclFloat, ncclSum, comm, stream);
#ifdef TWICE
    // TWICE: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'all' is R or I: summing equal values
    ncclAllReduce(all, all, Total, ncclFloat, ncclSum, comm, stream);
#endif
    step<<<1, 64, 0, stream>>>(w, all, Total);
  }
}
