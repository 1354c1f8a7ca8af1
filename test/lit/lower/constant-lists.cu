// RUN: %spmd-tidy --quiet %s -- %runtime-include 2>&1 | count 0
// Weights by an array of pointers, which nobody writes, in a loop that some ranks' iterations leave early.
#include <cuda_runtime.h>
__global__ void scale(const float *x, const float *w, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * w[i];
}
__global__ void bias(float *y, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += b[i];
}
static void experts(const float *x, float *out, int n, const int *off, const float *const *w, const float *const *b) {
  for (int i = 0; i < n; ++i) {
    int rows = off[i + 1] - off[i];
    if (rows <= 0) continue;
    float *h = nullptr;
    if (cudaMalloc(&h, rows * 4) != cudaSuccess) return;
    scale<<<1, 32>>>(x + off[i], w[i], h, rows);
    bias<<<1, 32>>>(h, b[i], rows);
    cudaMemcpy(out + off[i], h, rows * 4, cudaMemcpyDeviceToDevice);
    cudaFree(h);
  }
}
void moe([[spmd::type("ep: V")]] const float *x, [[spmd::type("ep: V")]] float *y, int n, [[spmd::type("ep: V")]] const int *off,
         [[spmd::type("ep: R")]] const float *const *w, [[spmd::type("ep: R")]] const float *const *b) {
  experts(x, y, n, off, w, b);
}
