// The arithmetic that half and bfloat16 share: SPMD_STUB_HALF(T, T2) declares
// operators and SIMD pairs.
#pragma once

#include "cuda_runtime.h"

#define SPMD_STUB_HALF_BINARY(T, op)                                           \
  __host__ __device__ T operator op(const T &a, const T &b);                   \
  __host__ __device__ T &operator op## = (T & a, const T &b);
#define SPMD_STUB_HALF_COMPARE(T, op)                                          \
  __host__ __device__ bool operator op(const T &a, const T &b);
#define SPMD_STUB_HALF_OPERATORS(T)                                            \
  SPMD_STUB_HALF_BINARY(T, +)                                                  \
  SPMD_STUB_HALF_BINARY(T, -)                                                  \
  SPMD_STUB_HALF_BINARY(T, *)                                                  \
  SPMD_STUB_HALF_BINARY(T, /)                                                  \
  SPMD_STUB_HALF_COMPARE(T, ==)                                                \
  SPMD_STUB_HALF_COMPARE(T, !=)                                                \
  SPMD_STUB_HALF_COMPARE(T, <)                                                 \
  SPMD_STUB_HALF_COMPARE(T, <=)                                                \
  SPMD_STUB_HALF_COMPARE(T, >)                                                 \
  SPMD_STUB_HALF_COMPARE(T, >=)                                                \
  __host__ __device__ T operator-(const T &a);
#define SPMD_STUB_HALF_FUNCTIONS(T)                                            \
  __host__ __device__ T __hadd(T a, T b);                                      \
  __host__ __device__ T __hsub(T a, T b);                                      \
  __host__ __device__ T __hmul(T a, T b);                                      \
  __host__ __device__ T __hdiv(T a, T b);                                      \
  __host__ __device__ T __hneg(T a);                                           \
  __host__ __device__ T __habs(T a);                                           \
  __host__ __device__ T __hmax(T a, T b);                                      \
  __host__ __device__ T __hmin(T a, T b);                                      \
  __device__ T __hfma(T a, T b, T c);                                          \
  __device__ T hexp(T a);                                                      \
  __device__ T hlog(T a);                                                      \
  __device__ T hsqrt(T a);                                                     \
  __device__ T hrsqrt(T a);                                                    \
  __device__ T htanh(T a);                                                     \
  __host__ __device__ bool __hgt(T a, T b);                                    \
  __host__ __device__ bool __hlt(T a, T b);                                    \
  __host__ __device__ bool __heq(T a, T b);                                    \
  __host__ __device__ bool __hisnan(T a);
#define SPMD_STUB_HALF_PAIR(T, T2)                                             \
  __host__ __device__ T2 __hadd2(T2 a, T2 b);                                  \
  __host__ __device__ T2 __hsub2(T2 a, T2 b);                                  \
  __host__ __device__ T2 __hmul2(T2 a, T2 b);                                  \
  __device__ T2 __hfma2(T2 a, T2 b, T2 c);
