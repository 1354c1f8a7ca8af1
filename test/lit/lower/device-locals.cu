// Declared locals whose storage a call makes, and what nobody knows that is
// copied to them, are what they are declared to be.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

__global__ void multiply(const float *w, const float *x, float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    g[i] = w[i] * x[i];
    i += blockDim.x * gridDim.x;
  }
}
__global__ void axpy(const float *a, const float *b, float *c, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + scale * b[i];
}
void step(float *w, const float *g, float rate, int n) {
  axpy<<<n / 256, 256>>>(w, g, w, -rate, n);
}
const float *read_weights();
const float *read_batch();

struct Job {
  [[spmd::axis("dp")]] ncclComm_t comm;
};

void train(const Job &job, int n, int rounds, float rate, cudaStream_t stream) {
  [[spmd::type("dp: V")]] float *x;
  [[spmd::type("dp: R")]] float *w;
  float *g;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&w, n * sizeof(float));
  cudaMalloc(&g, n * sizeof(float));
  cudaMemcpy(x, read_batch(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(w, read_weights(), n * sizeof(float), cudaMemcpyHostToDevice);
  for (int k = 0; k < rounds; ++k) {
    multiply<<<n / 256, 256>>>(w, x, g, n);
    ncclAllReduce(g, g, n, ncclFloat, ncclSum, job.comm, 0);
    step(w, g, rate, n);
  }
}

void now_and_then(const Job &job, int n, int rounds, float rate) {
  [[spmd::type("dp: V")]] float *x;
  [[spmd::type("dp: R")]] float *w;
  float *g;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&w, n * sizeof(float));
  cudaMalloc(&g, n * sizeof(float));
  cudaMemcpy(x, read_batch(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(w, read_weights(), n * sizeof(float), cudaMemcpyHostToDevice);
  for (int k = 0; k < rounds; ++k) {
    multiply<<<n / 256, 256>>>(w, x, g, n);
    if (n > 1 && k == 0)
      ncclAllReduce(g, g, n, ncclFloat, ncclSum, job.comm, 0);
    step(w, g, rate, n);
    // CHECK: [[@LINE-1]]:5: error: from here on 'w' is V on 'dp', and nothing makes it R again
  }
}

// So is what a callee copies to it, of which a table of pointers has the parts.
void load(float *w, int n) {
  cudaMemcpy(w, read_weights(), n * sizeof(float), cudaMemcpyHostToDevice);
}
void use([[spmd::type("dp: V")]] const float *w);
void by_a_callee(int n) {
  [[spmd::type("dp: R")]] float *w;
  cudaMalloc(&w, n * sizeof(float));
  load(w, n);
  use(w);
  // CHECK: [[@LINE-1]]:3: error: the argument for 'w' must be V on 'dp', but 'w' is R
}
