// Stand-in for what CUDA code has on the device without including anything.
#pragma once

#include "vector_types.h"

extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;

__device__ void __syncthreads();
__device__ int __syncthreads_or(int predicate);
__device__ int __syncthreads_and(int predicate);
__device__ int __syncthreads_count(int predicate);
__device__ void __syncwarp(unsigned mask = 0xffffffff);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();
__device__ unsigned __activemask();
__device__ unsigned __ballot_sync(unsigned mask, int predicate);
__device__ int __any_sync(unsigned mask, int predicate);
__device__ int __all_sync(unsigned mask, int predicate);
__device__ void __trap();
__device__ void __nanosleep(unsigned ns);
__device__ long long clock64();

#define SPMD_STUB_SHUFFLE(name)                                                \
  template <class T>                                                           \
  __device__ T name(unsigned mask, T v, int lane, int width = 32);
SPMD_STUB_SHUFFLE(__shfl_sync)
SPMD_STUB_SHUFFLE(__shfl_xor_sync)
SPMD_STUB_SHUFFLE(__shfl_down_sync)
SPMD_STUB_SHUFFLE(__shfl_up_sync)
#undef SPMD_STUB_SHUFFLE

#define SPMD_STUB_ATOMIC(name)                                                 \
  template <class T, class U> __device__ T name(T *address, U value);
SPMD_STUB_ATOMIC(atomicAdd)
SPMD_STUB_ATOMIC(atomicSub)
SPMD_STUB_ATOMIC(atomicExch)
SPMD_STUB_ATOMIC(atomicMin)
SPMD_STUB_ATOMIC(atomicMax)
SPMD_STUB_ATOMIC(atomicAnd)
SPMD_STUB_ATOMIC(atomicOr)
SPMD_STUB_ATOMIC(atomicXor)
SPMD_STUB_ATOMIC(atomicInc)
SPMD_STUB_ATOMIC(atomicAdd_system)
#undef SPMD_STUB_ATOMIC
template <class T> __device__ T atomicCAS(T *address, T compare, T value);

#define SPMD_STUB_MATH1(name) __device__ float name(float x);
SPMD_STUB_MATH1(__expf)
SPMD_STUB_MATH1(__logf)
SPMD_STUB_MATH1(__log2f)
SPMD_STUB_MATH1(__sinf)
SPMD_STUB_MATH1(__cosf)
SPMD_STUB_MATH1(__tanf)
SPMD_STUB_MATH1(__frsqrt_rn)
SPMD_STUB_MATH1(__frcp_rn)
SPMD_STUB_MATH1(__fsqrt_rn)
SPMD_STUB_MATH1(__saturatef)
#undef SPMD_STUB_MATH1
__host__ __device__ float rsqrtf(float x);
__host__ __device__ double rsqrt(double x);
__host__ __device__ float rcbrtf(float x);
__device__ float __fdividef(float x, float y);
__device__ float __powf(float x, float y);
__device__ float __fmaf_rn(float x, float y, float z);
__device__ float __fadd_rn(float x, float y);
__device__ float __fmul_rn(float x, float y);
__device__ int __float_as_int(float x);
__device__ float __int_as_float(int x);
__device__ unsigned __float_as_uint(float x);
__device__ float __uint_as_float(unsigned x);
__device__ int __float2int_rn(float x);
__device__ float __int2float_rn(int x);
__device__ float __uint2float_rn(unsigned x);
__device__ int __popc(unsigned x);
__device__ int __clz(int x);
__device__ int __ffs(int x);
__device__ unsigned __brev(unsigned x);
__device__ unsigned __byte_perm(unsigned x, unsigned y, unsigned s);
__device__ int __mul24(int x, int y);
__device__ size_t __cvta_generic_to_shared(const void *p);

// The C library's functions that device code calls.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#define SPMD_STUB_LIBM(name)                                                   \
  extern "C" __device__ float name##f(float) noexcept;                         \
  extern "C" __device__ double name(double) noexcept;
SPMD_STUB_LIBM(exp)
SPMD_STUB_LIBM(exp2)
SPMD_STUB_LIBM(expm1)
SPMD_STUB_LIBM(log)
SPMD_STUB_LIBM(log2)
SPMD_STUB_LIBM(log10)
SPMD_STUB_LIBM(log1p)
SPMD_STUB_LIBM(sqrt)
SPMD_STUB_LIBM(tanh)
SPMD_STUB_LIBM(cosh)
SPMD_STUB_LIBM(sinh)
SPMD_STUB_LIBM(sin)
SPMD_STUB_LIBM(cos)
SPMD_STUB_LIBM(tan)
SPMD_STUB_LIBM(erf)
SPMD_STUB_LIBM(fabs)
SPMD_STUB_LIBM(floor)
SPMD_STUB_LIBM(ceil)
SPMD_STUB_LIBM(round)
SPMD_STUB_LIBM(trunc)
SPMD_STUB_LIBM(rint)
#undef SPMD_STUB_LIBM
#define SPMD_STUB_LIBM(name)                                                   \
  extern "C" __device__ float name##f(float, float) noexcept;                  \
  extern "C" __device__ double name(double, double) noexcept;
SPMD_STUB_LIBM(pow)
SPMD_STUB_LIBM(fmax)
SPMD_STUB_LIBM(fmin)
SPMD_STUB_LIBM(fmod)
SPMD_STUB_LIBM(atan2)
SPMD_STUB_LIBM(copysign)
SPMD_STUB_LIBM(hypot)
#undef SPMD_STUB_LIBM
extern "C" __device__ float fmaf(float, float, float) noexcept;
extern "C" __device__ double fma(double, double, double) noexcept;
__device__ int abs(int);
__device__ float abs(float);
__device__ bool isnan(float);
__device__ bool isinf(float);
extern "C" __device__ int printf(const char *, ...);
__device__ void __assert_fail(const char *, const char *, unsigned,
                              const char *);
extern "C" __device__ void *memcpy(void *, const void *, size_t) noexcept;
extern "C" __device__ void *memset(void *, int, size_t) noexcept;
