// Several numbers that are loaded together are parts of the buffer: as one of
// CUDA's vector types, and as a class that holds its bits.
// RUN: not %spmd-tidy %s -- %runtime-include 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <cstring>
#include <cuda_runtime.h>
#include <nccl.h>

template <class T> struct alignas(16) Packed {
  Packed() = default;
  __device__ explicit Packed(int4 bits) {
    memcpy(&payload, &bits, sizeof(bits));
  }
  __device__ T &operator[](int i) { return payload[i]; }
  __device__ const T &operator[](int i) const { return payload[i]; }
  __device__ int4 bits() const {
    int4 out;
    memcpy(&out, &payload, sizeof(out));
    return out;
  }
  T payload[16 / sizeof(T)];
};
template <class T> __device__ Packed<T> load(const T *from) {
  return Packed<T>{*reinterpret_cast<const int4 *>(from)};
}
template <class T> __device__ void store(T *to, Packed<T> v) {
  *reinterpret_cast<int4 *>(to) = v.bits();
}

__global__ void vectors(float *out, const float *in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = reinterpret_cast<const float4 *>(in)[i];
  v.x *= 2;
  reinterpret_cast<float4 *>(out)[i] = v;
}
__global__ void packs(float *out, const float *in) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  Packed<float> p = load(in + i), q;
  for (int k = 0; k < 4; ++k)
    q[k] = p[k] * 2.0f;
  store(out + i, q);
}

void wrong([[spmd::type("dp: V")]] const float *x,
           // CHECK: error: parameter 'y' on exit must be R on 'dp', but 'y' is V
           [[spmd::type("-> dp: R")]] float *y,
           // CHECK: error: parameter 'z' on exit must be R on 'dp', but 'z' is V
           [[spmd::type("-> dp: R")]] float *z) {
  vectors<<<1, 2>>>(y, x);
  packs<<<1, 2>>>(z, x);
}
void right([[spmd::type("dp: R")]] const float *x,
           [[spmd::type("-> dp: R")]] float *y,
           [[spmd::type("-> dp: R")]] float *z) {
  vectors<<<1, 2>>>(y, x);
  packs<<<1, 2>>>(z, x);
}
// What is copied out of a buffer is no name of it.
__global__ void doubled(float *in) {
  float4 v = reinterpret_cast<const float4 *>(in)[threadIdx.x];
  v.x = v.y = 0;
}
void kept([[spmd::type("dp: P")]] float *x) { doubled<<<1, 2>>>(x); }
