// What is received into memory of the function's own, and made something of there in place, is for somebody to read.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cuda_runtime.h>
#include <nccl.h>

__global__ void scale(const float *x, const float *w, float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = w[i] * x[i];
}
__global__ void copy(const float *x, float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
static void expert(const float *in, float *out, const float *w, int n, cudaStream_t stream) {
  float *h;
  cudaMalloc(&h, n * sizeof(float));
  scale<<<1, n, 0, stream>>>(in, w, h, n);
  copy<<<1, n, 0, stream>>>(h, out, n);
  cudaFree(h);
}
/// Sorts what it is given, and adds it up.
static void reduce(float *in, float *out, const float *w, int n, cudaStream_t stream) {
  scale<<<1, n, 0, stream>>>(in, w, in, n);
  copy<<<1, n, 0, stream>>>(in, out, n);
}
static void exchange([[spmd::type("ep: V")]] const float *out, [[spmd::type("-> ep: V")]] float *in, int n, int peer,
                     [[spmd::axis("ep")]] ncclComm_t comm, cudaStream_t stream) {
  ncclGroupStart();
  ncclSend(out, n, ncclFloat, peer, comm, stream);
  ncclRecv(in, n, ncclFloat, peer, comm, stream);
  ncclGroupEnd();
}

//===--- Wrong -------------------------------------------------------------===//

void not_sent_back([[spmd::type("ep: V")]] const float *x, [[spmd::type("ep: R")]] const float *w,
                   [[spmd::type("-> ep: V")]] float *y, int n, [[spmd::axis("ep")]] ncclComm_t comm,
                   cudaStream_t stream) {
  float *received;
  cudaMalloc(&received, n * sizeof(float));
  ncclAllReduce(x, received, n, ncclFloat, ncclSum, comm, stream);
  // CHECK: [[#@LINE+1]]:3: error: nobody reads what 'expert' makes of 'received', which ranks on 'ep' have sent each other: its memory ends with 'not_sent_back', and nothing of it gets into what that is declared to leave [spmd-contract]
  expert(received, received, w, n, stream);
  copy<<<1, n, 0, stream>>>(x, y, n);
  cudaFree(received);
}
void too_early([[spmd::type("ep: V")]] const float *x, [[spmd::type("ep: R")]] const float *w,
               [[spmd::type("-> ep: R")]] float *y, int n, [[spmd::axis("ep")]] ncclComm_t comm, cudaStream_t stream) {
  float *received;
  cudaMalloc(&received, n * sizeof(float));
  copy<<<1, n, 0, stream>>>(x, received, n);
  ncclAllReduce(received, y, n, ncclFloat, ncclSum, comm, stream);
  // CHECK: [[#@LINE+1]]:3: error: nobody reads what 'expert' makes of 'received'
  expert(received, received, w, n, stream);
  cudaFree(received);
}

//===--- Right -------------------------------------------------------------===//

void sent([[spmd::type("ep: V")]] const float *x, [[spmd::type("ep: R")]] const float *w,
          [[spmd::type("-> ep: R")]] float *y, int n, [[spmd::axis("ep")]] ncclComm_t comm, cudaStream_t stream) {
  float *received;
  cudaMalloc(&received, n * sizeof(float));
  ncclAllReduce(x, received, n, ncclFloat, ncclSum, comm, stream);
  expert(received, received, w, n, stream);
  copy<<<1, n, 0, stream>>>(received, y, n);
  cudaFree(received);
}
// What it makes of it goes elsewhere; the buffer is only where it works.
void reduced([[spmd::type("ep: V")]] const float *x, [[spmd::type("ep: R")]] const float *w,
             [[spmd::type("-> ep: R")]] float *y, int n, [[spmd::axis("ep")]] ncclComm_t comm, cudaStream_t stream) {
  float *received;
  cudaMalloc(&received, n * sizeof(float));
  ncclAllReduce(x, received, n, ncclFloat, ncclSum, comm, stream);
  reduce(received, y, w, n, stream);
  cudaFree(received);
}
// In rounds: the next one reads it.
void rounds([[spmd::type("ep: V")]] const float *x, [[spmd::type("ep: R")]] const float *w,
            [[spmd::type("-> ep: R")]] float *y, int n, int num, [[spmd::axis("ep")]] ncclComm_t comm,
            cudaStream_t stream) {
  float *state;
  cudaMalloc(&state, n * sizeof(float));
  ncclAllReduce(x, state, n, ncclFloat, ncclSum, comm, stream);
  for (int i = 0; i < num; ++i) {
    copy<<<1, n, 0, stream>>>(state, y, n);
    expert(state, state, w, n, stream);
  }
  cudaFree(state);
}
// One way reads it, another does not; and who measures time reads nothing.
void perhaps([[spmd::type("ep: V")]] const float *x, [[spmd::type("ep: R")]] const float *w,
             [[spmd::type("-> ep: R")]] float *y, int n, bool keep, [[spmd::axis("ep")]] ncclComm_t comm,
             cudaStream_t stream) {
  float *received;
  cudaMalloc(&received, n * sizeof(float));
  ncclAllReduce(x, received, n, ncclFloat, ncclSum, comm, stream);
  ncclAllReduce(x, y, n, ncclFloat, ncclSum, comm, stream);
  expert(received, received, w, n, stream);
  if (keep)
    copy<<<1, n, 0, stream>>>(received, y, n);
  cudaFree(received);
}
void timed([[spmd::type("ep: V")]] const float *x, [[spmd::type("ep: R")]] const float *w, int n,
           [[spmd::axis("ep")]] ncclComm_t comm, cudaStream_t stream) {
  float *received;
  cudaMalloc(&received, n * sizeof(float));
  ncclAllReduce(x, received, n, ncclFloat, ncclSum, comm, stream);
  expert(received, received, w, n, stream);
  cudaFree(received);
}
// Kept by somebody, who may read it.
struct Cache {
  float *last;
};
void kept([[spmd::type("ep: V")]] const float *x, [[spmd::type("ep: R")]] const float *w,
          [[spmd::type("-> ep: R")]] float *y, int n, Cache *cache, [[spmd::axis("ep")]] ncclComm_t comm,
          cudaStream_t stream) {
  float *received;
  cudaMalloc(&received, n * sizeof(float));
  ncclAllReduce(x, received, n, ncclFloat, ncclSum, comm, stream);
  ncclAllReduce(x, y, n, ncclFloat, ncclSum, comm, stream);
  expert(received, received, w, n, stream);
  cache->last = received;
}
