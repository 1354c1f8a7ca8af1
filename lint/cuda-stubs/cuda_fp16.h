// Stand-in for half precision.
#pragma once

#include "spmd_half_ops.h"

#ifdef __cplusplus
struct __half {
  unsigned short __x;
  __half() = default;
  __host__ __device__ __half(float v);
  __host__ __device__ __half(double v);
  __host__ __device__ __half(int v);
  __host__ __device__ operator float() const;
};
struct __half2 {
  __half x, y;
  __half2() = default;
  __host__ __device__ __half2(const __half &a, const __half &b);
};
typedef __half half;
typedef __half2 half2;

SPMD_STUB_HALF_OPERATORS(__half)
SPMD_STUB_HALF_FUNCTIONS(__half)
SPMD_STUB_HALF_OPERATORS(__half2)
SPMD_STUB_HALF_PAIR(__half, __half2)

__host__ __device__ float __half2float(__half v);
__host__ __device__ __half __float2half(float v);
__host__ __device__ __half __float2half_rn(float v);
__host__ __device__ __half __double2half(double v);
__host__ __device__ __half2 __floats2half2_rn(float a, float b);
__host__ __device__ __half2 __float2half2_rn(float v);
__host__ __device__ __half2 __float22half2_rn(float2 v);
__host__ __device__ float2 __half22float2(__half2 v);
__host__ __device__ __half2 __halves2half2(__half a, __half b);
__host__ __device__ __half2 __half2half2(__half a);
__host__ __device__ __half __low2half(__half2 v);
__host__ __device__ __half __high2half(__half2 v);
__host__ __device__ float __low2float(__half2 v);
__host__ __device__ float __high2float(__half2 v);
__host__ __device__ __half __int2half_rn(int v);
__device__ int __half2int_rn(__half v);
#endif
