// Gradients in one buffer, and a list of where each begins: what a list has at
// two constants are two parts of the buffer.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DLEFT 2>&1 | FileCheck %s --check-prefix=LEFT --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DTWICE 2>&1 | FileCheck %s --check-prefix=TWICE --implicit-check-not=error:
#include <cuda_runtime.h>
#include <nccl.h>

enum { Weight, Bias, Head, NumParts };

__global__ void set(float *g, const float *x, int n) {
  int i = threadIdx.x;
  if (i < n)
    g[i] = x[i];
}
__global__ void add(float *g, const float *x, int n) {
  int i = threadIdx.x;
  if (i < n)
    // LEFT-DAG: [[#@LINE+1]]:5: error: 'g[i]', which a sum over 'dp' has left, is added to 'x[i]' in 'atomicAdd', and the next sum counts it once per rank
    atomicAdd(&g[i], x[i]);
}
__global__ void sgd(float *w, const float *g, int n) {
  int i = threadIdx.x;
  if (i < n)
    w[i] -= 0.1f * g[i];
}
static void point(float **parts, float *base, const int *sizes) {
  for (int i = 0; i < NumParts; i++) {
    parts[i] = base;
    base += sizes[i];
  }
}
// The bias is added up, and the others are overwritten.
static void backward(float **g, const float *x, const int *n) {
  set<<<1, 32>>>(g[Weight], x, n[Weight]);
  add<<<1, 32>>>(g[Bias], x, n[Bias]);
  set<<<1, 32>>>(g[Head], x, n[Head]);
}

#define GIVEN                                                                  \
  [[spmd::axis("dp")]] ncclComm_t comm, [[spmd::type("dp: R")]] float *w,      \
      [[spmd::type("dp: V")]] const float *x, const int *n, int total, int steps

void cleared(GIVEN) {
  float *all, *g[NumParts];
  cudaMalloc(&all, total * sizeof(float));
  point(g, all, n);
  for (int i = 0; i < steps; i++) {
#ifndef LEFT
    cudaMemset(all, 0, total * sizeof(float));
#endif
    backward(g, x, n);
    ncclAllReduce(all, all, total, ncclFloat, ncclSum, comm, nullptr);
    sgd<<<1, 32>>>(w, all, total);
  }
}

// To clear what is added to is enough.
void clearedInPart(GIVEN) {
  float *all, *g[NumParts];
  cudaMalloc(&all, total * sizeof(float));
  point(g, all, n);
  for (int i = 0; i < steps; i++) {
    cudaMemset(g[Bias], 0, n[Bias] * sizeof(float));
    backward(g, x, n);
    ncclAllReduce(all, all, total, ncclFloat, ncclSum, comm, nullptr);
    sgd<<<1, 32>>>(w, all, total);
  }
}

void oneByOne(GIVEN) {
  float *all, *g[NumParts];
  cudaMalloc(&all, total * sizeof(float));
  point(g, all, n);
  for (int i = 0; i < steps; i++) {
    for (int k = 0; k < NumParts; k++)
      cudaMemset(g[k], 0, n[k] * sizeof(float));
    backward(g, x, n);
    ncclAllReduce(g[Weight], g[Weight], n[Weight], ncclFloat, ncclSum, comm, nullptr);
    ncclAllReduce(g[Bias], g[Bias], n[Bias], ncclFloat, ncclSum, comm, nullptr);
    ncclAllReduce(g[Head], g[Head], n[Head], ncclFloat, ncclSum, comm, nullptr);
#ifdef TWICE
    // TWICE: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'g[Bias]' is R or I: summing equal values multiplies them by the axis size
    ncclAllReduce(g[Bias], g[Bias], n[Bias], ncclFloat, ncclSum, comm, nullptr);
#endif
    sgd<<<1, 32>>>(w, all, total);
  }
}

// A workspace in parts, each of which is used again.
void workspace(GIVEN, float *out) {
  float *all, *g[NumParts];
  cudaMalloc(&all, total * sizeof(float));
  point(g, all, n);
  for (int i = 0; i < steps; i++) {
    set<<<1, 32>>>(g[Weight], x, 32);
    ncclAllReduce(g[Weight], g[Weight], 32, ncclFloat, ncclSum, comm, nullptr);
    set<<<1, 32>>>(g[Bias], g[Weight], 32);
    set<<<1, 32>>>(g[Weight], x, 32);
    ncclAllReduce(g[Weight], g[Weight], 32, ncclFloat, ncclSum, comm, nullptr);
    add<<<1, 32>>>(g[Bias], g[Weight], 32);
    set<<<1, 32>>>(out, g[Bias], 32);
  }
}
