// What is read and nobody has written: memory that was allocated here, beside
// what has a type, and what a function is declared to write.
// RUN: not %spmd-tidy --quiet %s -- %runtime-include 2>&1 | FileCheck %s --implicit-check-not=error:
#include <cuda_runtime.h>
#include <nccl.h>
#include <cstdlib>
#include <vector>

__global__ void scale(const float *x, float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = 2 * x[i];
}
// CHECK: [[#@LINE+4]]:14: error: 'x[i]' is read, and nobody has written it: it holds what its memory did before [spmd-contract]
__global__ void combine(const float *x, const float *y, float *sum, int n) {
  int i = threadIdx.x;
  if (i < n)
    sum[i] = x[i] + y[i];
}
__global__ void count(const int *ids, int *counts, int n) {
  int i = threadIdx.x;
  if (i < n)
    atomicAdd(&counts[ids[i]], 1);
}
__global__ void masked(const float *x, const float *mask, bool has_mask, float *y, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  if (has_mask)
    v *= mask[i];
  y[i] = v;
}
void library(float *x);
[[spmd::op("m k, k n -> m n")]] void product(const float *a, const float *b, float *c, int m, int n, int k);

//===--- Wrong -------------------------------------------------------------===//

// The gather is left out.
void counts_not_gathered([[spmd::type("ep: V")]] const long *mine, [[spmd::type("-> ep: V")]] long *theirs,
                         [[spmd::axis("ep")]] ncclComm_t comm, int world, cudaStream_t stream) {
  long *all = nullptr;
  cudaMalloc(&all, world * world * sizeof(long));
  std::vector<long> here(world * world, 0), column(world, 0);
  // CHECK: [[#@LINE+1]]:3: error: 'all' is read, and nobody has written it: it holds what its memory did before [spmd-contract]
  cudaMemcpyAsync(here.data(), all, world * world * sizeof(long), cudaMemcpyDeviceToHost, stream);
  for (int r = 0; r < world; ++r)
    column[r] = here[r * world];
  cudaMemcpyAsync(theirs, column.data(), world * sizeof(long), cudaMemcpyHostToDevice, stream);
  cudaFree(all);
}

// Whether there is any memory, both ways.
void ids_not_received([[spmd::type("ep: V")]] const float *x, [[spmd::type("-> ep: V")]] int *out, long rows) {
  int *ids = nullptr;
  if (rows > 0)
    cudaMalloc(&ids, rows * sizeof(int));
  std::vector<int> here(rows, 0);
  if (rows > 0)
    // CHECK: [[#@LINE+1]]:5: error: 'ids' is read, and nobody has written it
    cudaMemcpy(here.data(), ids, rows * sizeof(int), cudaMemcpyDeviceToHost);
  for (long i = 0; i < rows; ++i)
    out[i] = here[i];
}

// In the kernel that reads it, above.
void not_received([[spmd::type("ep: V")]] const float *x, [[spmd::type("-> ep: V")]] float *out, int n) {
  float *buffer = (float *)malloc(n * sizeof(float));
  combine<<<1, n>>>(buffer, x, out, n);
  free(buffer);
}

// What is to be written is sent before.
void gathered_before([[spmd::type("tp: R")]] const float *x, [[spmd::type("tp: S(1)")]] const float *w,
                     [[spmd::type("-> tp: V")]] float *mine, [[spmd::type("-> tp: R")]] float *all,
                     [[spmd::axis("tp")]] ncclComm_t comm, int n, cudaStream_t stream) {
  // CHECK: [[#@LINE+1]]:3: error: 'mine' is read, and nobody has written it
  ncclAllGather(mine, all, n * n, ncclFloat, comm, stream);
  product(x, w, mine, n, n, n);
}

// The sum of what is to be the sum.
void another_is_summed([[spmd::type("tp: S(1)")]] const float *x, [[spmd::type("tp: S(0)")]] const float *w,
                       float *mine, [[spmd::type("-> tp: R")]] float *all, [[spmd::axis("tp")]] ncclComm_t comm,
                       int n, cudaStream_t stream) {
  product(x, w, mine, n, n, n);
  // CHECK: [[#@LINE+1]]:3: error: 'all' is read, and nobody has written it
  ncclAllReduce(all, all, n * n, ncclFloat, ncclSum, comm, stream);
}

// Shards of what is declared to be written are no terms of a sum.
void shards_summed([[spmd::type("tp: R")]] const float *x, [[spmd::type("tp: S(1)")]] const float *w,
                   [[spmd::type("-> tp: S(1)")]] float *mine, [[spmd::axis("tp")]] ncclComm_t comm, float *sum,
                   int n, cudaStream_t stream) {
  product(x, w, mine, n, n, n);
  // CHECK: [[#@LINE+1]]:3: error: {{.*}}'mine'{{.*}} [spmd-src-type]
  ncclAllReduce(mine, sum, n * n, ncclFloat, ncclSum, comm, stream);
}

//===--- Right -------------------------------------------------------------===//

// Somebody may have written it: a kernel, code that is not seen, a message.
void written([[spmd::type("ep: V")]] const float *x, [[spmd::type("-> ep: V")]] float *out,
             [[spmd::axis("ep")]] ncclComm_t comm, int peer, int n, bool first, cudaStream_t stream) {
  std::vector<float> here(n);
  float *by_kernel, *by_library, *by_message, *by_set, *on_one_way;
  cudaMalloc(&by_kernel, n * sizeof(float));
  cudaMalloc(&by_library, n * sizeof(float));
  cudaMalloc(&by_message, n * sizeof(float));
  cudaMalloc(&by_set, n * sizeof(float));
  cudaMalloc(&on_one_way, n * sizeof(float));
  scale<<<1, n>>>(x, by_kernel, n);
  library(by_library);
  ncclRecv(by_message, n, ncclFloat, peer, comm, stream);
  cudaMemset(by_set, 0, n * sizeof(float));
  if (first)
    cudaMemcpy(on_one_way, x, n * sizeof(float), cudaMemcpyDeviceToDevice);
  for (float *each : {by_kernel, by_library, by_message, by_set, on_one_way})
    cudaMemcpy(here.data(), each, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(here.data(), by_kernel, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(here.data(), by_library, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(here.data(), by_message, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(here.data(), by_set, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(here.data(), on_one_way, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    out[i] = here[i];
}

// Memory that is cleared as it is made, or that a launcher's list of arguments has.
void cleared([[spmd::type("ep: V")]] const float *x, [[spmd::type("-> ep: V")]] float *out, int n) {
  float *zeros = (float *)calloc(n, sizeof(float));
  float *ones = new float[n]();
  std::vector<float> more(n);
  for (int i = 0; i < n; ++i)
    out[i] = x[i] + zeros[i] + ones[i] + more[i];
  float *made;
  cudaMalloc(&made, n * sizeof(float));
  void *arguments[] = {&x, &made, &n};
  cudaLaunchKernel((const void *)scale, dim3(1), dim3(n), arguments, 0, nullptr);
  cudaMemcpy(out, made, n * sizeof(float), cudaMemcpyDeviceToDevice);
}

// What came before is carried on from round to round.
void carried([[spmd::type("ep: V")]] const float *x, [[spmd::type("-> ep: V")]] float *out, int n, int rounds) {
  float *last;
  cudaMalloc(&last, n * sizeof(float));
  for (int r = 0; r < rounds; ++r) {
    if (r > 0)
      cudaMemcpy(out, last, n * sizeof(float), cudaMemcpyDeviceToDevice);
    scale<<<1, n>>>(x, last, n);
  }
}

// Sums may begin with what the memory of the device is: it is not said here that it is no zero.
void counted([[spmd::type("ep: V")]] const int *ids, [[spmd::type("-> ep: V")]] int *out, int n) {
  int *counts;
  cudaMallocManaged(&counts, n * sizeof(int));
  count<<<1, n>>>(ids, counts, n);
  cudaMemcpy(out, counts, n * sizeof(int), cudaMemcpyDeviceToDevice);
}

// Whether there is a mask is an option.
void without_mask([[spmd::type("ep: V")]] const float *x, [[spmd::type("-> ep: V")]] float *out, bool has_mask, int n) {
  float *mask;
  cudaMalloc(&mask, n * sizeof(float));
  masked<<<1, n>>>(x, mask, has_mask, out, n);
}

// Time is measured: nothing has a type.
void bench([[spmd::axis("tp")]] ncclComm_t comm, int n, cudaStream_t stream) {
  float *x, *y, *z;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&z, n * sizeof(float));
  std::vector<float> here(n);
  for (int i = 0; i < 100; ++i) {
    ncclAllReduce(x, y, n, ncclFloat, ncclSum, comm, stream);
    product(x, y, z, n, 1, 1);
    scale<<<1, n>>>(y, z, n);
  }
  cudaMemcpy(here.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
}

// All ranks meet.
void barrier([[spmd::type("tp: V")]] const float *x, [[spmd::axis("tp")]] ncclComm_t comm, cudaStream_t stream) {
  float *nothing;
  cudaMalloc(&nothing, sizeof(float));
  ncclAllReduce(nothing, nothing, 1, ncclFloat, ncclSum, comm, stream);
}

// Each element is written before it is read.
void in_turn([[spmd::type("tp: V")]] const float *x, [[spmd::type("-> tp: R")]] float *out,
             [[spmd::axis("tp")]] ncclComm_t comm, int n, cudaStream_t stream) {
  cudaMemcpyAsync(out, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
  ncclAllReduce(out, out, n, ncclFloat, ncclSum, comm, stream);
}
