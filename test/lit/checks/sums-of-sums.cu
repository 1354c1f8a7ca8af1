// A product that is added to what a sum has left, with the number before it that
// `&one` names: beta scales, and is no tensor. What atomicAdd adds is added.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <nccl.h>

__global__ void sgd(float *w, const float *g, float rate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    w[i] -= rate * g[i];
}
#define ARGUMENTS                                                                                              \
  [[spmd::axis("dp")]] ncclComm_t dp, cublasHandle_t blas, cudaStream_t stream, [[spmd::type("dp: R")]] float *w, \
      float *g, [[spmd::type("dp: V")]] const float *h, [[spmd::type("dp: V")]] const float *x, int n, int accum
#define PRODUCT(beta) \
  cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, h, n, x, n, beta, g, n)

void each(ARGUMENTS) {
  const float one = 1;
  cudaMemsetAsync(g, 0, n * n * sizeof(float), stream);
  for (int micro = 0; micro < accum; micro++) {
    // CHECK: [[#@LINE+1]]:5: error: 'g', which a sum over 'dp' has left, is added to terms in 'PRODUCT', and the next sum counts it once per rank
    PRODUCT(&one);
    ncclAllReduce(g, g, n * n, ncclFloat, ncclSum, dp, stream);
  }
  sgd<<<(n * n + 255) / 256, 256, 0, stream>>>(w, g, 0.1f, n * n);
}
void once(ARGUMENTS) {
  const float one = 1;
  cudaMemsetAsync(g, 0, n * n * sizeof(float), stream);
  for (int micro = 0; micro < accum; micro++)
    PRODUCT(&one);
  ncclAllReduce(g, g, n * n, ncclFloat, ncclSum, dp, stream);
  sgd<<<(n * n + 255) / 256, 256, 0, stream>>>(w, g, 0.1f, n * n);
}
void anew(ARGUMENTS) {
  const float one = 1, zero = 0;
  for (int step = 0; step < accum; step++) {
    PRODUCT(&zero);
    ncclAllReduce(g, g, n * n, ncclFloat, ncclSum, dp, stream);
    sgd<<<(n * n + 255) / 256, 256, 0, stream>>>(w, g, 0.1f, n * n);
  }
}

__global__ void backward(float *g, const float *w, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  // CHECK: [[#@LINE+1]]:3: error: 'g[i]', which a sum over 'dp' has left, is added to 'w[i] * x[i]' in 'atomicAdd'
  atomicAdd(&g[i], w[i] * x[i]);
}
void eachOfKernel(ARGUMENTS) {
  for (int micro = 0; micro < accum; micro++) {
    backward<<<n, 256, 0, stream>>>(g, w, x + micro * n, n);
    ncclAllReduce(g, g, n, ncclFloat, ncclSum, dp, stream);
  }
  sgd<<<n, 256, 0, stream>>>(w, g, 0.1f, n);
}
void onceOfKernel(ARGUMENTS) {
  for (int micro = 0; micro < accum; micro++)
    backward<<<n, 256, 0, stream>>>(g, w, x + micro * n, n);
  ncclAllReduce(g, g, n, ncclFloat, ncclSum, dp, stream);
  sgd<<<n, 256, 0, stream>>>(w, g, 0.1f, n);
  cudaMemsetAsync(g, 0, n * sizeof(float), stream);
}
