// Stand-in for CUDA's attributes and vector types.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
#endif
#define __forceinline__ inline __attribute__((always_inline))
// Clang has the keyword in CUDA code; elsewhere libstdc++ spells the attribute
// so, and a macro would break it.
#ifndef __CUDA__
#undef __noinline__
#endif
#define __cluster_dims__(...)
#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif
#define __builtin_align__(n) __align__(n)
#define CUDART_CB
#define CUDARTAPI

#define SPMD_STUB_VECTOR(T, N)                                                 \
  struct N##1 { T x; };                                                        \
  struct N##2 { T x, y; };                                                     \
  struct N##3 { T x, y, z; };                                                  \
  struct __align__(16) N##4 { T x, y, z, w; };
SPMD_STUB_VECTOR(signed char, char)
SPMD_STUB_VECTOR(unsigned char, uchar)
SPMD_STUB_VECTOR(short, short)
SPMD_STUB_VECTOR(unsigned short, ushort)
SPMD_STUB_VECTOR(int, int)
SPMD_STUB_VECTOR(unsigned int, uint)
SPMD_STUB_VECTOR(long, long)
SPMD_STUB_VECTOR(unsigned long, ulong)
SPMD_STUB_VECTOR(long long, longlong)
SPMD_STUB_VECTOR(unsigned long long, ulonglong)
SPMD_STUB_VECTOR(float, float)
SPMD_STUB_VECTOR(double, double)
#undef SPMD_STUB_VECTOR

#ifdef __cplusplus
struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int X = 1, unsigned int Y = 1,
                                     unsigned int Z = 1)
      : x(X), y(Y), z(Z) {}
  __host__ __device__ constexpr dim3(uint3 V) : x(V.x), y(V.y), z(V.z) {}
};
#else
typedef struct dim3 {
  unsigned int x, y, z;
} dim3;
#endif
