// Gradients in one buffer, and a list of where each begins: what is written by
// way of the list is in the buffer.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -DHELPER 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -DVECTOR 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -DBEHIND 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DHELPER -DEARLY 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DVECTOR -DEARLY 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DBEHIND -DEARLY 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DHELPER -DBROADCAST 2>&1 | FileCheck %s --check-prefix=BROADCAST
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DHELPER -DTWICE 2>&1 | FileCheck %s --check-prefix=TWICE
// What a list is filled with twice, or by code that is not seen, nobody knows.
// RUN: %spmd-tidy --quiet %s -- %runtime-include -DHELPER -DEARLY -DOTHER 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -DHELPER -DEARLY -DUNSEEN 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- %runtime-include -DHELPER -DEARLY -DMOVED 2>&1 | count 0
#include <cuda_runtime.h>
#include <nccl.h>
#include <vector>

enum { Layers = 4, Total = 64 };

__global__ void gradient(float *g, const float *x, int n) {
  int i = threadIdx.x;
  if (i < n)
    g[i] += x[i];
}

__global__ void step(float *w, const float *g, int n) {
  int i = threadIdx.x;
  if (i < n)
    // BROADCAST: [[#@LINE+1]]:5: error: '0.1f * g[i]' is made of what one rank of 'dp' has computed of its own data and sent round, and updates what all ranks hold alike
    w[i] -= 0.1f * g[i];
}

static void assign(float **parts, float *base, const size_t *sizes, int n) {
  float *at = base;
  for (int i = 0; i < n; ++i) {
    parts[i] = at;
    at += sizes[i];
  }
}

static void elsewhere(float **parts, float *a, float *b) {
  parts[0] = a;
  parts[1] = b;
}

void unseen(float **parts);

static void backward(float *const *grads, const float *x) {
  for (int l = Layers - 1; l >= 0; --l)
    gradient<<<1, 32>>>(grads[l], x, 16);
}

// EARLY: [[#@LINE+1]]:65: error: parameter 'w' on exit must be R on 'dp', but 'w' is V: the ranks hold different values, which are taken for one
void train([[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: R")]] float *w,
           [[spmd::axis("dp")]] ncclComm_t comm, cudaStream_t stream, const size_t *sizes, float *other) {
  float *all = nullptr;
  cudaMalloc(&all, Total * sizeof(float));
#if defined(HELPER)
  float *grads[Layers];
  assign(grads, all, sizes, Layers);
#elif defined(VECTOR)
  std::vector<float *> grads;
  float *at = all;
  for (int i = 0; i < Layers; ++i) {
    grads.push_back(at);
    at += sizes[i];
  }
#elif defined(BEHIND)
  float *grads[Layers] = {nullptr};
  grads[0] = all;
  for (int i = 1; i < Layers; ++i)
    grads[i] = grads[i - 1] + sizes[i - 1];
#else
  float *grads[Layers], *at = all;
  for (int i = 0; i < Layers; ++i) {
    grads[i] = at;
    at += sizes[i];
  }
#endif
#ifdef OTHER
  elsewhere(grads, all, other);
#endif
#ifdef UNSEEN
  unseen(grads);
#endif
#ifdef MOVED
  all = other;
#endif
  for (int i = 0; i < 100; ++i) {
    cudaMemset(all, 0, Total * sizeof(float));
#ifdef EARLY
    ncclAllReduce(all, all, Total, ncclFloat, ncclSum, comm, stream);
#endif
#ifdef VECTOR
    backward(grads.data(), x);
#else
    backward(grads, x);
#endif
#ifdef BROADCAST
    ncclBroadcast(all, all, Total, ncclFloat, 0, comm, stream);
#elif !defined(EARLY)
    ncclAllReduce(all, all, Total, ncclFloat, ncclSum, comm, stream);
#endif
#ifdef TWICE
    // TWICE: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'all' is R or I: summing equal values
    ncclAllReduce(all, all, Total, ncclFloat, ncclSum, comm, stream);
#endif
    step<<<1, 64, 0, stream>>>(w, all, Total);
  }
}
