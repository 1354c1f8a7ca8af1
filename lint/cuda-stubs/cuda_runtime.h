// Stand-in for the CUDA runtime, kernels included. In a CUDA translation unit
// the compiler needs the launch configuration functions by name.
#pragma once

#include "cuda_runtime_api.h"

#ifdef __cplusplus
static inline __host__ __device__ float2 make_float2(float x, float y) {
  return float2{x, y};
}
static inline __host__ __device__ float3 make_float3(float x, float y,
                                                     float z) {
  return float3{x, y, z};
}
static inline __host__ __device__ float4 make_float4(float x, float y, float z,
                                                     float w) {
  return float4{x, y, z, w};
}
static inline __host__ __device__ int2 make_int2(int x, int y) {
  return int2{x, y};
}
static inline __host__ __device__ int4 make_int4(int x, int y, int z, int w) {
  return int4{x, y, z, w};
}
static inline __host__ __device__ uint4 make_uint4(unsigned x, unsigned y,
                                                   unsigned z, unsigned w) {
  return uint4{x, y, z, w};
}
#endif

#ifdef __CUDA__
extern "C" {
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0,
                              cudaStream_t stream = 0);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                     cudaStream_t stream = 0);
}
#include "device_functions.h"
#include "spmd_cuda_gaps.h"
#endif
