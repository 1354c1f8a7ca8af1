// Of memory that was allocated for what a gather brings, a call that brings one rank's alone leaves the most as it was.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cuda_runtime.h>
#include <nccl.h>
#include <vector>

struct Group {
  ncclComm_t comm;
  [[spmd::size("ep")]] int size;
};
__global__ void fill(long *x, int n);
long *keep(long *x);

// CHECK: [[#@LINE+6]]:3: error: this 'ncclBroadcast' fills a part of 'all', and 'cudaMemcpyAsync' takes more of it: nobody has written the rest, which holds what its memory did before [spmd-collective-argument]
// CHECK: [[#@LINE+8]]:3: note: this 'cudaMemcpyAsync' takes more
void broadcast_for_gather(const long *mine, Group *g, cudaStream_t stream) {
  const int size = g->size;
  long *all = nullptr;
  cudaMalloc(&all, sizeof(long) * size * size);
  ncclBroadcast(mine, all, size, ncclInt64, 0, g->comm, stream);
  std::vector<long> here(size * size);
  const size_t bytes = sizeof(long) * size * size;
  cudaMemcpyAsync(here.data(), all, bytes, cudaMemcpyDeviceToHost, stream);
  cudaFree(all);
}
void first_half(const float *mine, float *here, int n, ncclComm_t comm, cudaStream_t stream) {
  float *all;
  cudaMalloc(&all, sizeof(float) * 2 * n);
  // CHECK: [[#@LINE+1]]:3: error: this 'ncclAllReduce' fills a part of 'all', and 'cudaMemcpy' takes more of it
  ncclAllReduce(mine, all, n, ncclFloat, ncclSum, comm, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(here, all, sizeof(float) * n * 2, cudaMemcpyDeviceToHost);
  cudaFree(all);
}

//===--- Right -------------------------------------------------------------===//

void gathered(const long *mine, long *here, Group *g, cudaStream_t stream) {
  const int size = g->size;
  long *all = nullptr;
  cudaMalloc(&all, sizeof(long) * size * size);
  ncclAllGather(mine, all, size, ncclInt64, g->comm, stream);
  cudaMemcpyAsync(here, all, sizeof(long) * size * size, cudaMemcpyDeviceToHost, stream);
  cudaFree(all);
}
void one_after_the_other(const long *mine, long *here, Group *g, cudaStream_t stream) {
  const int size = g->size;
  long *all = nullptr;
  cudaMalloc(&all, sizeof(long) * size * size);
  for (int r = 0; r < size; ++r)
    ncclBroadcast(mine, all + r * size, size, ncclInt64, r, g->comm, stream);
  cudaMemcpyAsync(here, all, sizeof(long) * size * size, cudaMemcpyDeviceToHost, stream);
  cudaFree(all);
}
void as_much(const long *mine, long *here, Group *g, int n, int layers, cudaStream_t stream) {
  const int size = g->size;
  long *sum, *part, *some;
  cudaMalloc(&sum, sizeof(long) * size * n);
  cudaMalloc(&part, sizeof(long) * size * n);
  cudaMalloc(&some, sizeof(long) * size * n);
  ncclAllReduce(mine, sum, n * size, ncclInt64, ncclSum, g->comm, stream);
  cudaMemcpyAsync(here, sum, sizeof(long) * size * n, cudaMemcpyDeviceToHost, stream);
  ncclReduceScatter(mine, part, n, ncclInt64, ncclSum, g->comm, stream);
  cudaMemcpyAsync(here, part, sizeof(long) * n, cudaMemcpyDeviceToHost, stream);
  ncclAllReduce(mine, some, n, ncclInt64, ncclSum, g->comm, stream);
  cudaMemcpyAsync(here, some, sizeof(long) * n * layers, cudaMemcpyDeviceToHost, stream); // there may be one
  cudaFree(sum);
  cudaFree(part);
  cudaFree(some);
}
void filled_by_others(const long *mine, long *here, Group *g, int n, cudaStream_t stream) {
  const int size = g->size;
  long *cleared, *computed, *kept;
  cudaMalloc(&cleared, sizeof(long) * size * n);
  cudaMalloc(&computed, sizeof(long) * size * n);
  cudaMalloc(&kept, sizeof(long) * size * n);
  cudaMemset(cleared, 0, sizeof(long) * size * n);
  fill<<<1, 32, 0, stream>>>(computed, n);
  long *there = keep(kept);
  ncclBroadcast(mine, cleared, n, ncclInt64, 0, g->comm, stream);
  ncclBroadcast(mine, computed, n, ncclInt64, 0, g->comm, stream);
  ncclBroadcast(mine, kept, n, ncclInt64, 0, g->comm, stream);
  cudaMemcpyAsync(here, cleared, sizeof(long) * size * n, cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(here, computed, sizeof(long) * size * n, cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(there, kept, sizeof(long) * size * n, cudaMemcpyDeviceToHost, stream);
}
// What changes has no size that is known.
void grown(const long *mine, long *here, Group *g, int n, cudaStream_t stream) {
  int size = g->size;
  long *all;
  cudaMalloc(&all, sizeof(long) * size * n);
  ncclBroadcast(mine, all, n, ncclInt64, 0, g->comm, stream);
  size = 1;
  cudaMemcpyAsync(here, all, sizeof(long) * size * n, cudaMemcpyDeviceToHost, stream);
  cudaFree(all);
}
