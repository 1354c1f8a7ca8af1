// Stand-in for the 8-bit floats.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#ifdef __cplusplus
#define SPMD_STUB_FP8(Name)                                                    \
  struct Name {                                                                \
    unsigned char __x;                                                         \
    Name() = default;                                                          \
    explicit __host__ __device__ Name(float v);                                \
    explicit __host__ __device__ Name(__half v);                               \
    explicit __host__ __device__ Name(__nv_bfloat16 v);                        \
    explicit __host__ __device__ operator float() const;                       \
    explicit __host__ __device__ operator __half() const;                      \
    explicit __host__ __device__ operator __nv_bfloat16() const;               \
  };
SPMD_STUB_FP8(__nv_fp8_e4m3)
SPMD_STUB_FP8(__nv_fp8_e5m2)
#undef SPMD_STUB_FP8
typedef unsigned char __nv_fp8_storage_t;
#endif
