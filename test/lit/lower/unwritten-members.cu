// Members of an object that a trivial constructor makes hold nothing yet: what
// is written on some ways only is what they are.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cstring>
#include <cuda_runtime.h>
#include <nccl.h>

template <class T> struct alignas(16) Packed {
  Packed() = default;
  __device__ explicit Packed(int4 bits) { memcpy(&payload, &bits, sizeof(bits)); }
  __device__ static Packed zeros() {
    Packed all;
    for (int k = 0; k < 4; k++)
      all.payload[k] = 0;
    return all;
  }
  __device__ T &operator[](int i) { return payload[i]; }
  T payload[4];
};
__device__ Packed<float> load(const float *from) {
  return Packed<float>{*reinterpret_cast<const int4 *>(from)};
}
struct Job {
  [[spmd::axis("dp")]] ncclComm_t comm;
};
void use([[spmd::type("dp: R")]] const float *x);

__global__ void copy(float *to, const float *from, int n) {
  int at = threadIdx.x * 4;
  Packed<float> all = Packed<float>::zeros();
  if (at < n)
    all = load(from + at);
  to[at] = all[0];
}
__global__ void add(float *to, const float *from, int n) {
  Packed<float> sum;
  sum[0] = 0;
  if (threadIdx.x < n)
    sum = load(from + threadIdx.x);
  to[threadIdx.x] = sum[0];
}
void both([[spmd::type("dp: V")]] const float *x, float *a, float *b, int n) {
  copy<<<1, 32>>>(a, x, n);
  use(a);
  // CHECK: [[#@LINE-1]]:3: error: the argument for 'x' must be R on 'dp', but 'a' is V: {{.*}} [spmd-contract]
  add<<<1, 32>>>(b, x, n);
  use(b);
  // CHECK: [[#@LINE-1]]:3: error: the argument for 'x' must be R on 'dp', but 'b' is V: {{.*}} [spmd-contract]
}
// CHECK: 2 errors
