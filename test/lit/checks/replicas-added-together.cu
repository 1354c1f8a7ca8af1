// A kernel adds bias and residual to what is each rank's term of a sum still.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- %runtime-include -DBEFORE 2>&1 | FileCheck %s --implicit-check-not=error:

#include <nccl.h>

#define R [[spmd::type("tp: R")]]
#define V [[spmd::type("tp: V")]]

__global__ void product(float *y, const float *w, const float *h, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[i] * h[i];
}
__global__ void add_both(float *y, const float *b, const float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += b[i] + x[i];
}
__global__ void add_gated(float *y, const float *b, const float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += b[i] * x[i];
}
// Terms of this rank, too.
__global__ void add_term(float *y, const float *w, const float *h, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += w[i] * h[i];
}

void row_parallel([[spmd::axis("tp")]] ncclComm_t tp, V const float *w,
                  V const float *h, R const float *b, R const float *x,
                  [[spmd::type("-> tp: R")]] float *y, int n, cudaStream_t s) {
  product<<<n, 1, 0, s>>>(y, w, h, n);
  add_term<<<n, 1, 0, s>>>(y, w, x, n);
#ifdef BEFORE
  // CHECK: [[#@LINE+1]]:3: error: 'b' is R and is added to 'y', which is each rank's term of a sum over 'tp', in 'add'
  add_both<<<n, 1, 0, s>>>(y, b, x, n);
  // CHECK: [[#@LINE+1]]:3: error: 'b' is R and is added to 'y', which is each rank's term of a sum over 'tp', in 'add'
  add_gated<<<n, 1, 0, s>>>(y, b, x, n);
#endif
  ncclAllReduce(y, y, n, ncclFloat, ncclSum, tp, s);
#ifndef BEFORE
  add_both<<<n, 1, 0, s>>>(y, b, x, n);
  add_gated<<<n, 1, 0, s>>>(y, b, x, n);
#endif
}
