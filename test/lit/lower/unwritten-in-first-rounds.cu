// A loop that reads parts of a buffer, and writes them then: in its first round it reads what nobody has written.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cuda_runtime.h>
#include <nccl.h>

__global__ void scale(const float *x, const float *w, float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = w[i] * x[i];
}
__global__ void add(float *y, const float *x, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] += x[i];
}
__global__ void copy(const float *x, float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = x[i];
}

// One expert after the other, each for its rows, in place.
static void experts(const float *in, float *out, const float *const *w, const int *first, int n, cudaStream_t stream) {
  for (int e = 0; e < n; ++e) {
    const int rows = first[e + 1] - first[e];
    if (rows <= 0)
      continue;
    const float *x = in + first[e];
    float *y = out + first[e], *h = nullptr;
    cudaMalloc(&h, rows * sizeof(float));
    scale<<<1, rows, 0, stream>>>(x, w[e], h, rows);
    copy<<<1, rows, 0, stream>>>(h, y, rows);
    cudaFree(h);
  }
}
void layer([[spmd::type("ep: V")]] const float *sent, [[spmd::type("ep: R")]] const float *const *w,
           [[spmd::type("-> ep: V")]] float *y, const int *first, int n, size_t rows, int size,
           [[spmd::axis("ep")]] ncclComm_t comm, cudaStream_t stream) {
  float *received = nullptr;
  if (rows > 0)
    cudaMalloc(&received, rows * sizeof(float));
  else
    received = nullptr;
#ifndef WRONG
  ncclGroupStart();
  for (int r = 0; r < size; ++r) {
    ncclSend(sent + r * rows, rows, ncclFloat, r, comm, stream);
    ncclRecv(received + r * rows, rows, ncclFloat, r, comm, stream);
  }
  ncclGroupEnd();
#endif
  // CHECK: [[#@LINE+1]]:3: error: 'received' is read, and nobody has written it: it holds what its memory did before [spmd-contract]
  experts(received, received, w, first, n, stream);
  copy<<<1, 32, 0, stream>>>(received, y, rows);
  cudaFree(received);
}

//===--- Right -------------------------------------------------------------===//

// Results that begin with zeros, or with those of the first round.
static void accumulate(const float *in, float *out, int n, int parts, cudaStream_t stream) {
  for (int p = 0; p < parts; ++p)
    add<<<1, n, 0, stream>>>(out, in + p * n, n);
}
static void chain(const float *in, const float *w, float *out, int n, int layers, cudaStream_t stream) {
  for (int l = 0; l < layers; ++l) {
    if (l == 0)
      copy<<<1, n, 0, stream>>>(in, out, n);
    else
      scale<<<1, n, 0, stream>>>(out, w, out, n);
  }
}
static void steps(const float *in, const float *w, float *out, int n, int layers, cudaStream_t stream) {
  for (int l = 0; l < layers; ++l)
    scale<<<1, n, 0, stream>>>(l == 0 ? in : out + (l - 1) * n, w, out + l * n, n);
}
static void buffers(float *a, float *b, const float *in, const float *w, int n, int layers, cudaStream_t stream) {
  const float *from = in;
  for (int l = 0; l < layers; ++l) {
    float *to = l % 2 ? a : b;
    scale<<<1, n, 0, stream>>>(from, w, to, n);
    from = to;
  }
}
static void previous(float *state, const float *in, const float *w, int n, int layers, cudaStream_t stream) {
  for (int l = 0; l < layers; ++l) {
    if (l > 0)
      scale<<<1, n, 0, stream>>>(state, w, state, n);
    copy<<<1, n, 0, stream>>>(in + l * n, state, n);
  }
}
void right([[spmd::type("ep: V")]] const float *x, [[spmd::type("ep: R")]] const float *w,
           [[spmd::type("-> ep: V")]] float *y, int n, int layers, cudaStream_t stream) {
  float *sum, *chained, *stepped, *a, *b, *state;
  cudaMalloc(&sum, n * sizeof(float));
  cudaMalloc(&chained, n * sizeof(float));
  cudaMalloc(&stepped, layers * n * sizeof(float));
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&state, n * sizeof(float));
  cudaMemsetAsync(sum, 0, n * sizeof(float), stream);
  accumulate(x, sum, n, layers, stream);
  chain(x, w, chained, n, layers, stream);
  steps(x, w, stepped, n, layers, stream);
  buffers(a, b, x, w, n, layers, stream);
  previous(state, x, w, n, layers, stream);
  add<<<1, n, 0, stream>>>(y, sum, n);
}
