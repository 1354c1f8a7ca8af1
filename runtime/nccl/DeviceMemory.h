//===- DeviceMemory.h - CUDA memory on a stream -----------------*- C++ -*-===//

#ifndef SPMD_NCCL_DEVICEMEMORY_H
#define SPMD_NCCL_DEVICEMEMORY_H

#include "spmd/communicator.h"

#include <cuda_runtime_api.h>

namespace spmd {

/// Copies and fills on \p Stream, in its order.
std::unique_ptr<Memory> deviceMemory(cudaStream_t Stream);

} // namespace spmd

#endif // SPMD_NCCL_DEVICEMEMORY_H
