// What zero uses of CUDA, on the host: a stream is done at once, a launch is a
// loop over the grid, and each thread of the program has its own grid, so that
// ranks can be threads. The threads of a block run one after the other: there
// is no __syncthreads() and no shared memory.

#pragma once

#ifdef __CUDA__ // the real thing, for spmd-tidy on kernels
#include_next <cuda_runtime.h>
#else

#include <cmath>
#include <cstddef>

#define __global__
#define __device__

struct dim3 {
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
  unsigned x, y, z;
};

inline thread_local dim3 blockDim, blockIdx, threadIdx;

using cudaStream_t = struct CpuStream *;
enum cudaError_t { cudaSuccess, cudaErrorMemoryAllocation };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaMallocBytes(void **memory, std::size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMemset(void *to, int byte, std::size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int byte, std::size_t bytes,
                            cudaStream_t stream);
cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes,
                       cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream);

template <typename T> cudaError_t cudaMalloc(T **memory, std::size_t bytes) {
  return cudaMallocBytes(reinterpret_cast<void **>(memory), bytes);
}

struct float2 {
  float x, y;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
/// Nothing else runs on a rank's memory meanwhile.
template <typename T> void atomicAdd(T *sum, T term) { *sum += term; }

/// `launch(kernel, grid, block, …)(arguments…)`: what rewrite_launches.cmake
/// makes of `kernel<<<grid, block, …>>>(arguments…)`.
template <typename... Parameters>
auto launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t,
            cudaStream_t) {
  return [=](Parameters... arguments) {
    blockDim = block;
    for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x)
      for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x)
        kernel(arguments...);
  };
}

#endif
