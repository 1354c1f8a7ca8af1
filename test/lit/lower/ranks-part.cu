// A pending sum that only some ranks' kernel, loop or memset changes is none.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>

#include <cstring>

#define ARGUMENTS                                                             \
  float *x, [[spmd::type("dp: V")]] int rows, int n,                           \
      [[spmd::axis("dp")]] ncclComm_t dp, cudaStream_t s

__global__ void zero(float *x, int n) { x[threadIdx.x] = 0; }
[[spmd::op("linear")]] __global__ void scale(float *x, int n);
__global__ void unknown(float *x, int n);

void cleared([[spmd::type("dp: P -> dp: R")]] ARGUMENTS) {
  if (rows > 0)
    memset(x, 0, n);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, dp, s);
  // CHECK: [[#@LINE-1]]:3: error: 'x' was P on 'dp' until some ranks went another way, and 'all_reduce' uses it
}
void clearedByKernel([[spmd::type("dp: P -> dp: R")]] ARGUMENTS) {
  if (rows > 0)
    zero<<<1, 1>>>(x, n);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, dp, s);
  // CHECK: [[#@LINE-1]]:3: error: 'x' was P on 'dp' until some ranks went another way, and 'all_reduce' uses it
}
void scaled([[spmd::type("dp: P -> dp: R")]] ARGUMENTS) {
  if (rows > 0)
    scale<<<1, 1>>>(x, n);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, dp, s);
  // CHECK: [[#@LINE-1]]:3: error: 'x' was P on 'dp' until some ranks went another way, and 'all_reduce' uses it
}
void changed([[spmd::type("dp: P -> dp: R")]] ARGUMENTS) {
  if (rows > 0)
    unknown<<<1, 1>>>(x, n);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, dp, s);
  // CHECK: [[#@LINE-1]]:3: error: 'x' was P on 'dp' until some ranks went another way, and 'all_reduce' uses it
}

//===--- Right ------------------------------------------------------------===//

void onAll([[spmd::type("dp: P -> dp: R")]] ARGUMENTS) {
  if (n > 0)
    scale<<<1, 1>>>(x, n);
  ncclAllReduce(x, x, n, ncclFloat, ncclSum, dp, s);
}
