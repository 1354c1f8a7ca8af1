// Globals that a function makes point into what another one holds are parts of
// that in all functions, also where nobody is seen to call it.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DDROPPED %runtime-include 2>&1 | FileCheck %s --check-prefix=DROPPED --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DTWICE %runtime-include 2>&1 | FileCheck %s --check-prefix=TWICE --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>
#include <stdlib.h>

enum { W = 64, B = 32 };
[[spmd::type("dp: R")]] static float *params;
static float *grads, *w, *b, *dw, *db;
[[spmd::axis("dp")]] static ncclComm_t dp;

__global__ void gradient(float *g, const float *w, const float *x, int n) {
  int i = threadIdx.x;
  if (i < n)
    g[i] = w[i] * x[i];
}
__global__ void sgd(float *w, const float *g, int n) {
  int i = threadIdx.x;
  if (i < n)
    // DROPPED: [[#@LINE+1]]:5: error: from here on 'params' is V on 'dp', and nothing makes it R again
    w[i] -= g[i];
}
void setup() {
  cudaMalloc(&params, (W + B) * sizeof(float));
  cudaMalloc(&grads, (W + B) * sizeof(float));
  w = params;
  b = w + W;
  float *next = grads;
  dw = next;
  next += W;
  db = next;
}
static void backward(const float *x) {
  gradient<<<1, W>>>(dw, w, x, W);
  gradient<<<1, B>>>(db, b, x, B);
}
static void sum(float *g, int n) { ncclAllReduce(g, g, n, ncclFloat, ncclSum, dp, 0); }
#define ARGUMENTS [[spmd::type("dp: V")]] const float *x

#ifdef DROPPED
void sumOfOne(ARGUMENTS) {
  backward(x);
  sum(dw, W);
  sgd<<<1, W>>>(w, dw, W);
  sgd<<<1, B>>>(b, db, B);
}
#elif defined(TWICE)
void sumOfAllAndOne(ARGUMENTS) {
  backward(x);
  sum(grads, W + B);
  // TWICE: [[#@LINE+1]]:3: error: all_reduce on 'dp' takes V or P, but 'db' is R or I
  ncclAllReduce(db, db, B, ncclFloat, ncclSum, dp, 0);
  sgd<<<1, W + B>>>(params, grads, W + B);
}
#else
void sumOfAll(ARGUMENTS) {
  backward(x);
  sum(grads, W + B);
  sgd<<<1, W>>>(w, dw, W);
  sgd<<<1, B>>>(b, db, B);
}
void sumOfEach(ARGUMENTS) {
  backward(x);
  sum(dw, W);
  sum(db, B);
  sgd<<<1, W + B>>>(params, grads, W + B);
}
void withSetup(ARGUMENTS) {
  setup();
  int rank;
  ncclCommUserRank(dp, &rank);
  srand(rank);
  float drawn[W];
  for (int i = 0; i < W; ++i)
    drawn[i] = rand() / (float)RAND_MAX;
  cudaMemcpy(w, drawn, W * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(b, 0, B * sizeof(float));
  ncclBroadcast(params, params, W + B, ncclFloat, 0, dp, 0);
  for (int s = 0; s < 10; ++s) {
    backward(x + s);
    sum(grads, W + B);
    sgd<<<1, W + B>>>(params, grads, W + B);
  }
}
void inParts(ARGUMENTS) {
  for (int s = 0; s < 10; ++s) {
    cudaMemset(grads, 0, (W + B) * sizeof(float));
    backward(x + s);
    sum(db, B);
    sum(dw, W);
    sgd<<<1, W>>>(w, dw, W);
    sgd<<<1, B>>>(b, db, B);
  }
}
#endif
