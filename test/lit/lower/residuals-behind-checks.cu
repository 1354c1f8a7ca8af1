// A residual that all ranks have, added before the sum: also where each call is
// checked, and an error ends the program. A way that returns is another matter.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>
#include <spmd/annotations.h>

extern "C" void exit(int);
#define CHECK_CUDA(call)                                                       \
  if (call != cudaSuccess)                                                     \
  exit(1)

[[spmd::op("m k, k n -> m n")]] void
matmul(float *out, const float *a, const float *b, int m, int n, int k);
__global__ void add(float *x, const float *y, int n) {
  const int row = blockIdx.x;
  if (row >= n)
    return;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    x[row * n + i] = x[row * n + i] + y[row * n + i];
}

struct Layer {
  [[spmd::axis("tp")]] ncclComm_t tp;
  [[spmd::type("tp: V")]] float *up, *down;
  [[spmd::type("tp: R")]] float *x;
  float *hidden, *out;
};

void before(Layer &l, int n, int layers, const float *from) {
  CHECK_CUDA(cudaMemcpy(l.hidden, from, n, cudaMemcpyHostToDevice));
  for (int i = 0; i < layers; ++i) {
    matmul(l.hidden, l.x, l.up, n, n, n);
    matmul(l.out, l.hidden, l.down, n, n, n);
    // CHECK: :[[#@LINE+1]]:5: error: 'l.x' is R and is added to 'l.out', which is each rank's term of a sum over 'tp', in 'add'
    add<<<n, 256>>>(l.out, l.x, n);
    CHECK_CUDA(cudaGetLastError());
    ncclAllReduce(l.out, l.out, n, ncclFloat, ncclSum, l.tp, 0);
  }
}
void behind(Layer &l, int n, int layers) {
  CHECK_CUDA(cudaGetLastError());
  for (int i = 0; i < layers; ++i) {
    matmul(l.hidden, l.x, l.up, n, n, n);
    matmul(l.out, l.hidden, l.down, n, n, n);
    CHECK_CUDA(cudaGetLastError());
    ncclAllReduce(l.out, l.out, n, ncclFloat, ncclSum, l.tp, 0);
    add<<<n, 256>>>(l.out, l.x, n);
  }
}
void perhaps(Layer &l, int n, int root) {
  matmul(l.out, l.hidden, l.down, n, n, n);
  if (root)
    add<<<n, 256>>>(l.out, l.x, n);
  ncclAllReduce(l.out, l.out, n, ncclFloat, ncclSum, l.tp, 0);
}
void forever(Layer &l, int n, int rank) {
  for (;;) {
    matmul(l.out, l.hidden, l.down, n, n, n);
    if (rank == 0)
      add<<<n, 256>>>(l.out, l.x, n);
    ncclAllReduce(l.out, l.out, n, ncclFloat, ncclSum, l.tp, 0);
  }
}
// It is done once.
void last(Layer &l, int n) {
  add<<<n, 256>>>(l.out, l.hidden, n);
  matmul(l.out, l.hidden, l.down, n, n, n);
  ncclAllReduce(l.out, l.out, n, ncclFloat, ncclSum, l.tp, 0);
  exit(0);
}
