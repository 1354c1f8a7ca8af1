// Stand-in for bfloat16.
#pragma once

#include "spmd_half_ops.h"

#ifdef __cplusplus
struct __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(float v);
  __host__ __device__ __nv_bfloat16(double v);
  __host__ __device__ __nv_bfloat16(int v);
  __host__ __device__ operator float() const;
};
struct __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __host__ __device__ __nv_bfloat162(const __nv_bfloat16 &a,
                                     const __nv_bfloat16 &b);
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

SPMD_STUB_HALF_OPERATORS(__nv_bfloat16)
SPMD_STUB_HALF_FUNCTIONS(__nv_bfloat16)
SPMD_STUB_HALF_OPERATORS(__nv_bfloat162)
SPMD_STUB_HALF_PAIR(__nv_bfloat16, __nv_bfloat162)

__host__ __device__ float __bfloat162float(__nv_bfloat16 v);
__host__ __device__ __nv_bfloat16 __float2bfloat16(float v);
__host__ __device__ __nv_bfloat16 __float2bfloat16_rn(float v);
__host__ __device__ __nv_bfloat16 __double2bfloat16(double v);
__host__ __device__ __nv_bfloat162 __floats2bfloat162_rn(float a, float b);
__host__ __device__ __nv_bfloat162 __float2bfloat162_rn(float v);
__host__ __device__ float2 __bfloat1622float2(__nv_bfloat162 v);
__host__ __device__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a,
                                                      __nv_bfloat16 b);
__host__ __device__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a);
__host__ __device__ __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v);
__host__ __device__ __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v);
__host__ __device__ float __low2float(__nv_bfloat162 v);
__host__ __device__ float __high2float(__nv_bfloat162 v);
__device__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short v);
__device__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 v);
#endif
