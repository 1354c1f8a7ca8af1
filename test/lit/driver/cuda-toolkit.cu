// With a toolkit, of a version that Clang may know only in part.
// REQUIRES: cuda
// RUN: %spmd-tidy %s --
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <thrust/device_vector.h>

__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    __stcs(x + i, min(__ldcs(x + i), 1.0f));
}
void run(float *x, int n) { k<<<max(1, n / 256), 256>>>(x, n); }
