// A list that holds the pointers in another is another name of that: what one
// kernel does to many buffers it does to those of the struct.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cuda_runtime.h>
#include <nccl.h>

struct Net {
  [[spmd::axis("dp")]] ncclComm_t c;
  [[spmd::type("dp: R")]] float *w[4];
  [[spmd::type("dp: V")]] float *g[4];
  float *other[4];
  int count;
};
struct Args {
  float *p[4], *g[4];
  int n;
};
__global__ void one(float *w, const float *g, int n) {
  for (int i = 0; i < n; i++)
    // CHECK-DAG: [[#@LINE+1]]:5: error: from here on 't.w' is V on 'dp', and nothing makes it R again
    w[i] -= g[i];
}
__global__ void all(Args a) {
  int t = blockIdx.y;
  for (int i = threadIdx.x; i < a.n; i += blockDim.x)
    // CHECK-DAG: [[#@LINE+1]]:5: error: from here on 't.w' is V on 'dp', and nothing makes it R again
    a.p[t][i] -= a.g[t][i];
}

#ifdef WRONG
void oneByOne(Net &t, int n) {
  float *p[4], *g[4];
  for (int i = 0; i < 4; i++) {
    p[i] = t.w[i];
    g[i] = t.g[i];
  }
  for (int i = 0; i < 4; i++)
    one<<<1, 1>>>(p[i], g[i], n);
}
void together(Net &t, int n) {
  Args a;
  a.n = n;
  for (int i = 0; i < 4; i++) {
    a.p[i] = t.w[i];
    a.g[i] = t.g[i];
  }
  all<<<dim3(1, 4), 1>>>(a);
}
#else
void reducedBefore(Net &t, int n) {
  float *p[4], *g[4];
  for (int i = 0; i < t.count; i++) {
    ncclAllReduce(t.g[i], t.g[i], n, ncclFloat, ncclSum, t.c, nullptr);
    p[i] = t.w[i];
    g[i] = t.g[i];
  }
  for (int i = 0; i < t.count; i++)
    one<<<1, 1>>>(p[i], g[i], n);
}
void reducedBehind(Net &t, int n, int steps) {
  Args a;
  a.n = n;
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < 4; i++) {
      a.p[i] = t.w[i];
      a.g[i] = t.g[i];
    }
    for (int i = 0; i < 4; i++)
      ncclAllReduce(a.g[i], a.g[i], n, ncclFloat, ncclSum, t.c, nullptr);
    all<<<dim3(1, 4), 1>>>(a);
    for (int i = 0; i < 4; i++)
      cudaMemset(t.g[i], 0, n);
  }
}
// A list that is filled anew holds other pointers then.
void refilled(Net &t, int n) {
  float *p[4], *g[4];
  for (int i = 0; i < 4; i++) {
    ncclAllReduce(t.g[i], t.g[i], n, ncclFloat, ncclSum, t.c, nullptr);
    p[i] = t.w[i];
    g[i] = t.g[i];
  }
  for (int i = 0; i < 4; i++)
    one<<<1, 1>>>(p[i], g[i], n);
  for (int i = 0; i < 4; i++)
    p[i] = t.other[i];
  for (int i = 0; i < 4; i++)
    one<<<1, 1>>>(p[i], g[i], n);
}
#endif
