// A loop over a few structs that are named does to each what an iteration does
// to the struct that it has.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <initializer_list>
#include <nccl.h>
#include <spmd/annotations.h>

struct Weight {
  int n;
  [[spmd::type("dp: R")]] float *w;
  float *g;
};
__global__ void backward(float *g, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    g[i] = x[i];
}
__global__ void sgd(float *w, const float *g, float rate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHECK-DAG: [[@LINE+4]]:5: error: from here on 'up.w' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    // CHECK-DAG: [[@LINE+3]]:5: error: from here on 'down.w' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    // CHECK-DAG: [[@LINE+2]]:5: error: from here on 'left.w' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    // CHECK-DAG: [[@LINE+1]]:5: error: from here on 'first.w' is V on 'dp', and nothing makes it R again: other functions rely on the annotation [spmd-contract]
    w[i] -= rate * g[i];
}

struct Own {
  [[spmd::axis("dp")]] ncclComm_t dp;
  Weight up, down;
  void step([[spmd::type("dp: V")]] const float *x) {
    backward<<<1, 1>>>(up.g, x, 1);
    backward<<<1, 1>>>(down.g, x, 1);
    for (Weight *p : {&up, &down})
      sgd<<<1, 1>>>(p->w, p->g, 0.1f, p->n);
  }
};
struct OneSummed {
  [[spmd::axis("dp")]] ncclComm_t dp;
  Weight summed, left;
  void step([[spmd::type("dp: V")]] const float *x) {
    for (Weight *p : {&summed, &left})
      backward<<<1, 1>>>(p->g, x, 1);
    ncclAllReduce(summed.g, summed.g, 1, ncclFloat, ncclSum, dp, 0);
    for (Weight *p : {&summed, &left})
      sgd<<<1, 1>>>(p->w, p->g, 0.1f, p->n);
  }
};
struct AllButOne {
  [[spmd::axis("dp")]] ncclComm_t dp;
  Weight first, second, third;
  void step([[spmd::type("dp: V")]] const float *x) {
    for (Weight *p : {&first, &second, &third})
      backward<<<1, 1>>>(p->g, x, 1);
    for (Weight *p : {&second, &third})
      ncclAllReduce(p->g, p->g, p->n, ncclFloat, ncclSum, dp, 0);
    for (Weight *p : {&first, &second, &third})
      sgd<<<1, 1>>>(p->w, p->g, 0.1f, p->n);
  }
};
struct Summed {
  [[spmd::axis("dp")]] ncclComm_t dp;
  Weight a, b;
  void step([[spmd::type("dp: V")]] const float *x) {
    for (Weight *p : {&a, &b})
      backward<<<1, 1>>>(p->g, x, 1);
    for (Weight *p : {&a, &b})
      ncclAllReduce(p->g, p->g, p->n, ncclFloat, ncclSum, dp, 0);
    for (Weight *p : {&a, &b})
      sgd<<<1, 1>>>(p->w, p->g, 0.1f, p->n);
  }
};
