// An update that goes by a local, whichever way, is one: of a part of what each
// rank alone has computed.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DOLD %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --quiet %s -- -DVIA %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --quiet %s -- -DOLD -DSCATTER %runtime-include 2>&1 | count 0
// RUN: %spmd-tidy --quiet %s -- -DVIA -DSCATTER %runtime-include 2>&1 | count 0
// CHECK: error: 'rate * g[i]' updates '{{.*}}' and is each rank's part, by its place on 'dp', of what it alone has computed
#include <cuda_runtime.h>
#include <nccl.h>
struct Config { [[spmd::axis("dp")]] ncclComm_t comm; cudaStream_t stream; [[spmd::type("dp: V")]] int rank; [[spmd::size("dp")]] int n; };
__global__ void back(float *d, const float *w, const float *x, int n) {
  int i = threadIdx.x;
  if (i < n) d[i] += w[i] * x[i];
}
__global__ void step(float *w, const float *g, float rate, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
#if defined(OLD)
  float old = w[i];
  w[i] = old - rate * g[i];
#elif defined(VIA)
  float p = w[i] - rate * g[i];
  w[i] = p;
#else
  w[i] = w[i] - rate * g[i];
#endif
}
void update([[spmd::type("dp: R")]] float *w, [[spmd::type("dp: V")]] const float *x, const Config *c, size_t n) {
  float *g;
  cudaMalloc(&g, n * sizeof(float));
  cudaMemsetAsync(g, 0, n * sizeof(float), c->stream);
  back<<<1, n, 0, c->stream>>>(g, w, x, n);
  size_t size = n / c->n, at = c->rank * size;
#ifdef SCATTER
  ncclReduceScatter(g, g + at, size, ncclFloat, ncclAvg, c->comm, c->stream);
#endif
  step<<<1, size, 0, c->stream>>>(w + at, g + at, 0.1f, size);
  ncclAllGather(w + at, w, size, ncclFloat, c->comm, c->stream);
}
