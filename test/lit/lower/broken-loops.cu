// A training loop that is left by a break has been gone round, too; and what is
// freed at last is what it was before.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

struct Model {
  [[spmd::type("dp: R")]] float *w;
  float *g;
  int n;
};

__global__ void backward(float *g, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    g[i] = x[i];
}
__global__ void update(float *w, const float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: [[#@LINE+1]]:5: error: from here on 'm.w' is V on 'dp', and nothing makes it R again before its object ends [spmd-contract]
    w[i] -= 0.1f * g[i];
}

static void build(Model *m, int n) {
  m->n = n;
  cudaMalloc((void **)&m->w, n * sizeof(float));
  cudaMalloc((void **)&m->g, n * sizeof(float));
  cudaMemset(m->w, 0, n * sizeof(float));
}
static void release(Model *m) {
  cudaFree(m->w);
  m->w = nullptr;
}

void right([[spmd::axis("dp")]] ncclComm_t dp, [[spmd::type("dp: V")]] const float *x, int steps) {
  Model m;
  build(&m, 10);
  for (int step = 0; step <= steps; ++step) {
    if (step == steps)
      break;
    backward<<<1, 1>>>(m.g, x, m.n);
    ncclAllReduce(m.g, m.g, m.n, ncclFloat, ncclAvg, dp, nullptr);
    update<<<1, 1>>>(m.w, m.g, m.n);
  }
  release(&m);
}

void dropped([[spmd::axis("dp")]] ncclComm_t dp, [[spmd::type("dp: V")]] const float *x, int steps) {
  Model m;
  build(&m, 10);
  for (int step = 0; step <= steps; ++step) {
    if (step == steps)
      break;
    backward<<<1, 1>>>(m.g, x, m.n);
    update<<<1, 1>>>(m.w, m.g, m.n);
  }
  release(&m);
}

// The last step leaves each rank's part, which nobody asks for any more.
void sharded([[spmd::axis("dp")]] ncclComm_t dp, [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: V")]] float *shard, int steps) {
  Model m;
  build(&m, 10);
  for (int step = 0; step <= steps; ++step) {
    ncclAllGather(shard, m.w, m.n, ncclFloat, dp, nullptr);
    if (step == steps)
      break;
    backward<<<1, 1>>>(m.g, x, m.n);
    update<<<1, 1>>>(shard, m.g, m.n);
  }
  release(&m);
}
