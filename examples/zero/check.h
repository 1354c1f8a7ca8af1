// Status codes of CUDA and cuBLAS: anything but success ends the process
// with the call's place. The launcher then ends the other ranks.

#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace zero {

[[noreturn]] inline void fail(const char *file, int line, const char *what) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
  std::exit(1);
}

} // namespace zero

#define CUDACHECK(call)                                                        \
  do {                                                                         \
    const cudaError_t status_ = (call);                                        \
    if (status_ != cudaSuccess)                                                \
      zero::fail(__FILE__, __LINE__, cudaGetErrorString(status_));             \
  } while (0)

#define CUBLASCHECK(call)                                                      \
  do {                                                                         \
    if ((call) != CUBLAS_STATUS_SUCCESS)                                       \
      zero::fail(__FILE__, __LINE__, "cuBLAS: " #call);                        \
  } while (0)
