// The same of device memory and kernels: rows and columns say how much is meant.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DLEFT_OUT %runtime-include 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LEFT-OUT --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DTWICE %runtime-include 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DNOT_CLEARED %runtime-include 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOT-CLEARED --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DMEMBERS %runtime-include 2>&1 | count 0

#include <cuda_runtime.h>
#include <nccl.h>

#define IN 784
#define OUT 10
#define N1 (IN * OUT)

__global__ void product(float *dw, const float *x, const float *d, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns)
    dw[i] += x[i / columns] * d[i % columns];
}
__global__ void add(float *db, const float *d, int n) {
  int i = threadIdx.x;
  if (i < n)
    // NOT-CLEARED: [[#@LINE+1]]:5: error: 'db[i]', which a sum over 'dp' has left, is added to 'd[i]' in 'add'
    db[i] += d[i];
}
__global__ void sgd(float *p, const float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] -= 0.1f * g[i];
}
#ifdef MEMBERS
enum { Weight, Bias, Parameters };
struct Net {
  float *grads[Parameters];
  size_t sizes[Parameters];
};
#define DW net->grads[Weight]
#define DB net->grads[Bias]
#else
struct Net;
#define DW dw
#define DB db
#endif

// LEFT-OUT: [[#@LINE+1]]:95: error: parameter 'b' on exit must be R on 'dp', but 'b' is V
void train([[spmd::axis("dp")]] ncclComm_t dp, [[spmd::type("dp: R")]] float *w, [[spmd::type("dp: R")]] float *b,
           [[spmd::type("dp: V")]] const float *x, [[spmd::type("dp: V")]] const float *d, Net *net, cudaStream_t s) {
#ifndef MEMBERS
  float *grads;
  cudaMalloc(&grads, (N1 + OUT) * sizeof(float));
  float *dw = grads, *db = grads + N1;
#endif
  for (int step = 0; step < 10; step++) {
    cudaMemsetAsync(DW, 0, N1 * sizeof(float), s);
#ifndef NOT_CLEARED
    cudaMemsetAsync(DB, 0, OUT * sizeof(float), s);
#endif
    product<<<32, 256, 0, s>>>(DW, x, d, IN, OUT);
    add<<<1, 32, 0, s>>>(DB, d, OUT);
#ifdef MEMBERS
    ncclAllReduce(DW, DW, net->sizes[Weight], ncclFloat, ncclSum, dp, s);
#else
    ncclAllReduce(DW, DW, N1, ncclFloat, ncclSum, dp, s);
#endif
#ifndef LEFT_OUT
    ncclAllReduce(DB, DB, OUT, ncclFloat, ncclSum, dp, s);
#endif
#ifdef TWICE
    // TWICE: [[#@LINE+1]]:5: error: all_reduce on 'dp' takes V or P, but 'db' is R or I
    ncclAllReduce(DB, DB, OUT, ncclFloat, ncclSum, dp, s);
#endif
    sgd<<<32, 256, 0, s>>>(w, DW, N1);
    sgd<<<1, 32, 0, s>>>(b, DB, OUT);
  }
}
