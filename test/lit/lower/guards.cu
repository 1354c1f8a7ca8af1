// The threads of a kernel that have an element do what it is for, whatever the
// others do; and what a kernel or loop fills is then what it was filled with.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <nccl.h>

__global__ void copy(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i];
}
__global__ void step(float *w, const float *g, float rate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  w[i] -= rate * g[i];
}
struct Ranks {
  [[spmd::axis("dp")]] ncclComm_t dp;
  cudaStream_t stream;
};

// CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
void ownGradient(Ranks r, [[spmd::type("dp: R")]] float *w,
                 [[spmd::type("dp: V")]] const float *g, float rate, int n) {
  step<<<n / 256 + 1, 256, 0, r.stream>>>(w, g, rate, n);
}
void reducedGradient(Ranks r, [[spmd::type("dp: R")]] float *w,
                     [[spmd::type("dp: V -> dp: R")]] float *g, float rate,
                     int n) {
  ncclAllReduce(g, g, n, ncclFloat, ncclSum, r.dp, r.stream);
  step<<<n / 256 + 1, 256, 0, r.stream>>>(w, g, rate, n);
}
void ownPart(Ranks r, [[spmd::type("dp: R")]] float *w,
             [[spmd::type("dp: V")]] const float *g, float rate, int rank,
             int n) {
  float *own = w + rank * n;
  step<<<n / 256 + 1, 256, 0, r.stream>>>(own, g, rate, n);
  ncclAllGather(own, w, n, ncclFloat, r.dp, r.stream);
}
// CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: parameter 'w' on exit must be R on 'dp', but 'w' is V
void ownPartNotGathered(Ranks r, [[spmd::type("dp: R")]] float *w,
                        [[spmd::type("dp: V")]] const float *g, float rate,
                        int rank, int n) {
  float *own = w + rank * n;
  step<<<n / 256 + 1, 256, 0, r.stream>>>(own, g, rate, n);
}

// CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: parameter 'model' on exit must be R on 'dp', but 'model' is V
void publishOwn(Ranks r, [[spmd::type("-> dp: R")]] float *model,
                [[spmd::type("dp: V")]] const float *part, int n) {
  copy<<<n / 256 + 1, 256, 0, r.stream>>>(model, part, n);
}
void publishAll(Ranks r, [[spmd::type("-> dp: R")]] float *model,
                [[spmd::type("dp: V")]] const float *part, float *own, int n) {
  copy<<<n / 256 + 1, 256, 0, r.stream>>>(own, part, n);
  ncclAllGather(own, model, n, ncclFloat, r.dp, r.stream);
}
[[spmd::type("dp: R")]] float
throughScratch([[spmd::type("dp: V")]] const float *x, float *scratch, int n) {
  for (int i = 0; i != n; ++i)
    scratch[i] = x[i] * x[i];
  float sum = 0;
  for (int i = 0; i != n; ++i)
    sum += scratch[i];
  // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: the value returned from 'throughScratch' must be R on 'dp', but 'sum' is V
  return sum;
}

// A weight decay that each rank adds, by a rate that nobody described.
void decay(Ranks r, [[spmd::type("dp: R")]] const float *w,
           [[spmd::type("dp: P -> dp: R")]] float *g, float rate, int n) {
  for (int i = 0; i != n; ++i)
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: {{.*}}is P on 'dp'{{.*}} [spmd-partial-add]
    g[i] += rate * w[i];
  ncclAllReduce(g, g, n, ncclFloat, ncclSum, r.dp, r.stream);
}
void decayAfterwards(Ranks r, [[spmd::type("dp: R")]] const float *w,
                     [[spmd::type("dp: P -> dp: R")]] float *g, float rate,
                     int n) {
  ncclAllReduce(g, g, n, ncclFloat, ncclSum, r.dp, r.stream);
  for (int i = 0; i != n; ++i)
    g[i] += rate * w[i];
}
// What it is a term of may well be a sum over the ranks.
void count([[spmd::type("dp: P")]] float &loss, float part) { loss += part; }
