// What threads of a block share is the kernel's own, as a local is: it has what
// this launch stored in it.
// RUN: not %spmd-tidy %s -- %runtime-include > %t 2>&1
// RUN: FileCheck %s --implicit-check-not=error: < %t
// RUN: FileCheck %s --check-prefix=COVERED < %t
// COVERED: 100 % of {{[0-9]+}} tensor expressions typed on tp

#include <nccl.h>

__global__ void normalise(float *out, const float *x, int n) {
  __shared__ float part[8];
  const int tid = threadIdx.x;
  float sum = 0;
  for (int i = tid; i < n; i += blockDim.x)
    sum += x[i];
  if (tid % 32 == 0)
    part[tid / 32] = sum;
  __syncthreads();
  if (tid == 0) {
    float all = 0;
    for (int i = 0; i != 8; ++i)
      all += part[i];
    part[0] = all;
  }
  __syncthreads();
  for (int i = tid; i < n; i += blockDim.x)
    // CHECK: :[[#@LINE+2]]:{{[0-9]+}}: error: 'part[0]' is P on 'tp' and enters the non-linear
    // CHECK: note: with the types of this call in 'pending'
    out[i] = expf(part[0]);
}

void same([[spmd::type("tp: R")]] const float *x,
          [[spmd::type("tp: R")]] float *y, int n) {
  normalise<<<1, 256>>>(y, x, n);
}
void pending([[spmd::type("tp: P")]] const float *x, float *y, int n) {
  normalise<<<1, 256>>>(y, x, n);
}
