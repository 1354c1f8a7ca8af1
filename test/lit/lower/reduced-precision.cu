// A build in half or bfloat16 is checked as one in float is.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_bf16.h>
#include <cuda_fp16.h>

[[spmd::type("dp: R")]] float cast([[spmd::type("dp: V")]] const nv_bfloat16 *g) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'cast' must be R on 'dp', but '(float)g[0]' is V
  return (float)g[0];
}
[[spmd::type("dp: R")]] float implicit([[spmd::type("dp: V")]] const __half *g) {
  // CHECK: [[#@LINE+1]]:3: error: the value returned from 'implicit' must be R on 'dp'
  return g[0];
}
[[spmd::type("dp: R")]] nv_bfloat16 sum([[spmd::type("dp: P")]] const nv_bfloat16 *g,
                                        [[spmd::type("dp: R")]] const nv_bfloat16 *w) {
  // CHECK: [[#@LINE+1]]:10: error: 'w[0]' is R and is added to 'g[0]', which is P on 'dp'
  return g[0] + w[0];
}
__global__ void update([[spmd::type("dp: R")]] nv_bfloat16 *w,
                       [[spmd::type("dp: V")]] const nv_bfloat16 *g, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: [[#@LINE+1]]:5: error: the value of 'w' must be R on 'dp'
    w[i] = (nv_bfloat16)((float)w[i] - 0.1f * (float)g[i]);
}
__global__ void step([[spmd::type("dp: R")]] nv_bfloat16 *w,
                     [[spmd::type("dp: R")]] const nv_bfloat16 *g, int n) {
  for (int i = 0; i < n; ++i)
    w[i] -= (nv_bfloat16)0.1f * g[i];
}
