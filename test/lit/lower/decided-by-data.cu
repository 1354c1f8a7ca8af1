// An update that a loss or a norm keeps from being done is done in other
// iterations; what an option decides is another matter.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cmath>
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

void right([[spmd::axis("dp")]] ncclComm_t dp, [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: R")]] const float *losses, int steps) {
  Model m;
  build(&m, 10);
  for (int step = 0; step < steps; ++step) {
    backward<<<1, 1>>>(m.g, x, m.n);
    ncclAllReduce(m.g, m.g, m.n, ncclFloat, ncclAvg, dp, nullptr);
    if (std::isfinite(losses[step]) && losses[step] < 3.0f)
      update<<<1, 1>>>(m.w, m.g, m.n);
  }
  release(&m);
}

void dropped([[spmd::axis("dp")]] ncclComm_t dp, [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: R")]] const float *losses, int steps) {
  Model m;
  build(&m, 10);
  for (int step = 0; step < steps; ++step) {
    backward<<<1, 1>>>(m.g, x, m.n);
    if (std::isfinite(losses[step]) && losses[step] < 3.0f)
      update<<<1, 1>>>(m.w, m.g, m.n);
  }
  release(&m);
}

// Without other processes there is nothing to reduce.
void alone([[spmd::axis("dp")]] ncclComm_t dp, [[spmd::type("dp: V")]] const float *x, bool (*hasOthers)(), int steps) {
  Model m;
  build(&m, 10);
  for (int step = 0; step < steps; ++step) {
    backward<<<1, 1>>>(m.g, x, m.n);
    if (hasOthers()) {
      ncclAllReduce(m.g, m.g, m.n, ncclFloat, ncclAvg, dp, nullptr);
      update<<<1, 1>>>(m.w, m.g, m.n);
    } else {
      update<<<1, 1>>>(m.w, m.g, m.n);
    }
  }
  release(&m);
}

// Local steps, which are brought together every now and then.
void local([[spmd::axis("dp")]] ncclComm_t dp, [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: R")]] const float *losses, int steps) {
  Model m;
  build(&m, 10);
  for (int step = 0; step < steps; ++step) {
    backward<<<1, 1>>>(m.g, x, m.n);
    const bool good = losses[step] < 3.0f;
    if (good)
      update<<<1, 1>>>(m.w, m.g, m.n);
    if (step % 8 == 7)
      ncclAllReduce(m.w, m.w, m.n, ncclFloat, ncclAvg, dp, nullptr);
  }
  release(&m);
}
