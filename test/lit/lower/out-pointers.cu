// What a helper uploads to where its caller's pointer is.
// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <nccl.h>

struct Weights {
  [[spmd::type("tp: R")]] float *norm;
  [[spmd::type("tp: S(0)")]] float *wq;
};
static void part(float **dst, const float *src, int n, [[spmd::type("tp: V")]] int rank, int ranks) {
  int size = n / ranks;
  cudaMalloc((void **)dst, size * sizeof(float));
  // CHECK: :[[#@LINE+1]]:{{.*}}error: from here on 'w.norm' is V on 'tp', and nothing makes it R again
  cudaMemcpy(*dst, src + rank * size, size * sizeof(float), cudaMemcpyHostToDevice);
}
static void whole(float **dst, const float *src, int n) {
  cudaMalloc((void **)dst, n * sizeof(float));
  cudaMemcpy(*dst, src, n * sizeof(float), cudaMemcpyHostToDevice);
}
void upload(Weights &w, [[spmd::type("tp: R")]] const float *norm, [[spmd::type("tp: R")]] const float *wq, int n,
            [[spmd::type("tp: V")]] int rank, [[spmd::size("tp")]] int ranks) {
#ifdef WRONG
  part(&w.norm, norm, n, rank, ranks);
#else
  whole(&w.norm, norm, n);
#endif
  part(&w.wq, wq, n, rank, ranks);
}
/// An array of pointers is none.
static void each(float **list, int layers, int n) {
  for (int l = 0; l < layers; l++)
    cudaMalloc(&list[l], n * sizeof(float));
}
void all(float **list, int layers, int n) { each(list, layers, n); }
