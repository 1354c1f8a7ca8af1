// The shape beside the data is no data: what is said of a tensor is not said of
// the integers that say how large it is, so that loops over as many elements
// are the same on all ranks.
//
// RUN: not %spmd-tidy --quiet %s -- %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

struct Tensor {
  float *data;
  long shape[4];
};
struct Matrix {
  float *values;
  int *strides, *sizes;
};
/// Its labels are data, as they are more than any tensor has dims.
struct Batch {
  float *pixels;
  int labels[64];
};

static inline long numel(const long *s) {
  long n = 1;
  for (int i = 0; i < 4 && s[i]; i++)
    n *= s[i];
  return n;
}

__global__ void momentum(float *m, const float *g, float mu, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    m[i] = mu * m[i] + g[i];
}
__global__ void update(float *w, const float *m, float lr, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    w[i] -= lr * m[i];
}

struct Optimizer {
  [[spmd::axis("dp")]] ncclComm_t comm;
  [[spmd::type("dp: R")]] Tensor moments;
};

void step(Optimizer *o, [[spmd::type("dp: R")]] Tensor weights, [[spmd::type("dp: V")]] Tensor grads, cudaStream_t s) {
  ncclAllReduce(grads.data, grads.data, numel(grads.shape), ncclFloat, ncclAvg, o->comm, s);
  momentum<<<4, 256, 0, s>>>(o->moments.data, grads.data, 0.9f, numel(grads.shape));
  update<<<4, 256, 0, s>>>(weights.data, o->moments.data, 0.1f, numel(grads.shape));
}
// CHECK: [[#@LINE+1]]:43: error: parameter 'weights' on exit must be R on 'dp', but 'weights' is V: the ranks hold different values, which are taken for one [spmd-contract]
void forgotten(Optimizer *o, [[spmd::type("dp: R")]] Tensor weights, [[spmd::type("dp: V")]] Tensor grads, cudaStream_t s) {
  update<<<4, 256, 0, s>>>(weights.data, grads.data, 0.1f, numel(grads.shape));
}

void scaled([[spmd::type("dp: R")]] float *out, [[spmd::type("dp: V")]] const Matrix &m) {
  for (int i = 0; i < m.sizes[0]; i++)
    out[i] = m.strides[0];
}
void counted([[spmd::type("dp: R")]] float *out, [[spmd::type("dp: V")]] const Batch &b) {
  // CHECK: [[#@LINE+1]]:3: error: the value of 'out' must be R on 'dp', but 'b.labels[0]' is V: the ranks hold different values, which are taken for one [spmd-contract]
  out[0] = b.labels[0];
}
