// An update by storage that was made here and that nobody has written: types
// do not tell that a reduce_scatter was left out, as a shard is V either way.
// RUN: %spmd-tidy --quiet %s -- -xcuda %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG -xcuda %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cuda_runtime.h>
#include <nccl.h>
__global__ void backward(float *g, const float *x, int n) {
  int i = threadIdx.x;
  if (i < n)
    g[i] = 2 * x[i];
}
__global__ void sgd(float *w, const float *g, int n) {
  int i = threadIdx.x;
  // CHECK: :[[#@LINE+2]]:5: error: '0.1f * g[i]' updates 'w[i]' and holds nothing but zeros here, or nothing at all, on every rank: the gradient was never put there, or was cleared before its use [spmd-backward-type]
  if (i < n)
    w[i] -= 0.1f * g[i];
}
void fill(float *g);
void train([[spmd::type("dp: V")]] float *shard, [[spmd::type("dp: V")]] const float *x, int n,
           [[spmd::size("dp")]] int ranks, [[spmd::axis("dp")]] ncclComm_t comm, cudaStream_t s) {
  float *grads, *part, *full;
  cudaMalloc(&grads, n * ranks * sizeof(float));
  cudaMalloc(&part, n * sizeof(float));
  cudaMalloc(&full, n * ranks * sizeof(float));
  for (int step = 0; step < 5; step++) {
    ncclAllGather(shard, full, n, ncclFloat, comm, s);
    backward<<<1, n, 0, s>>>(grads, x, n);
#ifndef WRONG
    ncclReduceScatter(grads, part, n, ncclFloat, ncclSum, comm, s);
#endif
    sgd<<<1, n, 0, s>>>(shard, part, n);
  }
  cudaStreamSynchronize(s);
}
void elsewhere([[spmd::type("dp: V")]] float *shard, int n, cudaStream_t s) {
  float *part;
  cudaMalloc(&part, n * sizeof(float));
  fill(part);
  sgd<<<1, n, 0, s>>>(shard, part, n);
  cudaStreamSynchronize(s);
}
