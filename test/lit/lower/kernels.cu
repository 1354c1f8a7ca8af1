// Kernels are analysed with the types of their launches, or by their rule.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>
#include <spmd/annotations.h>
__global__ void gelu(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 0.5f * in[i] * (1.0f + tanhf(in[i]));
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'in[i]' is P on 'tp'{{.*}} [spmd-partial-nonlinear]
}
__global__ void add(float *out, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b[i];
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'b[i]' is R{{.*}} [spmd-partial-add]
}
[[spmd::op("m k, k n -> m n")]] void
matmul(float *out, const float *a, const float *b, int m, int n, int k);
struct Layer {
  [[spmd::axis("tp")]] ncclComm_t tp;
  [[spmd::type("tp: V")]] float *w;
  [[spmd::type("tp: R")]] float *bias;
  void forward([[spmd::type("tp: R")]] float *out,
               [[spmd::type("tp: V")]] const float *x, int n) {
    float *part;
    cudaMalloc(&part, n * sizeof(float));
    matmul(part, x, w, n, n, n);
    ncclAllReduce(part, out, n, ncclFloat, ncclSum, tp, 0);
    add<<<1, 32>>>(out, out, bias, n);
    gelu<<<1, 32>>>(out, out, n);
  }
  void tooEarly([[spmd::type("tp: R")]] float *out,
                [[spmd::type("tp: V")]] const float *x, int n) {
    float *part;
    cudaMalloc(&part, n * sizeof(float));
    matmul(part, x, w, n, n, n);
    add<<<1, 32>>>(part, part, bias, n);
    // CHECK: [[@LINE-1]]:5: error: 'bias' is R and is added to 'part', which is each rank's term of a sum over 'tp', in 'add': the sum would count it once per rank [spmd-partial-add]
    // CHECK: [[@LINE+1]]:5: note: added up over 'tp' here
    ncclAllReduce(part, out, n, ncclFloat, ncclSum, tp, 0);
  }
  void bad([[spmd::type("tp: P")]] const float *x, float *out, int n) {
    gelu<<<1, 32>>>(out, x, n);
  }
  void bad2([[spmd::type("tp: P")]] float *x, float *out, int n) {
    add<<<1, 32>>>(out, x, bias, n);
  }
};
__global__ void sgd(float *w, const float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    w[i] -= g[i];
  // CHECK: [[@LINE-1]]:5: error: from here on 'w' is V on 'dp', and nothing makes it R again{{.*}} [spmd-contract]
  // CHECK: [[@LINE+7]]:5: note: with the types of this call in 'Step::run'
}
struct Step {
  [[spmd::type("dp: R")]] float *w;
  [[spmd::type("dp: V")]] float *g;
  void run(int n) {
    gelu<<<1, 32>>>(g, g, n);
    sgd<<<1, 32>>>(w, g, n);
  }
};
