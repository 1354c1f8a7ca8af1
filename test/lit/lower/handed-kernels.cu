// Kernels that a launcher is handed, as wrappers of `<<<>>>` are written: each
// call has the launcher's body with its kernel.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <nccl.h>
#include <spmd/annotations.h>

struct Buffers {
  [[spmd::type("dp: R")]] float *w;
  float *g;
  int n;
};

template <int Threads> struct Launch {
  template <typename K, typename... A> static void run(K kernel, int n, A... args) {
    kernel<<<(n + Threads - 1) / Threads, Threads>>>(args..., n);
  }
};

__global__ void backward(float *g, const float *w, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    g[i] = (w[i] * x[i] - 1.f) * x[i];
}
__global__ void sgd(float *w, const float *g, float rate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK: [[@LINE+1]]:5: error: from here on 'b.w' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    w[i] -= rate * g[i];
}

void summed([[spmd::axis("dp")]] ncclComm_t comm, Buffers &b, [[spmd::type("dp: V")]] const float *x) {
  using L = Launch<256>;
  L::run(backward, b.n, b.g, (const float *)b.w, x);
  ncclAllReduce(b.g, b.g, b.n, ncclFloat, ncclSum, comm, 0);
  L::run(sgd, b.n, b.w, (const float *)b.g, 0.1f);
}
void own([[spmd::axis("dp")]] ncclComm_t comm, Buffers &b, [[spmd::type("dp: V")]] const float *x) {
  using L = Launch<256>;
  L::run(backward, b.n, b.g, (const float *)b.w, x);
  L::run(sgd, b.n, b.w, (const float *)b.g, 0.1f);
}
