//===- CheckCuda.h - What CUDA reports, as an Error -------------*- C++ -*-===//

#ifndef SPMD_NCCL_CHECKCUDA_H
#define SPMD_NCCL_CHECKCUDA_H

#include "spmd/error.h"

#include <cuda_runtime_api.h>

namespace spmd {

/// An Error unless \p Result is success; \p Call is what was done.
inline void check(cudaError_t Result, const char *Call) {
  if (Result != cudaSuccess)
    detail::fail(std::string("spmd: ") + Call + ": " +
                 cudaGetErrorString(Result));
}

} // namespace spmd

#endif // SPMD_NCCL_CHECKCUDA_H
