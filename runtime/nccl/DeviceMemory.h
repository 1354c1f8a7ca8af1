//===- DeviceMemory.h - CUDA memory on a stream -----------------*- C++ -*-===//

#ifndef SPMD_NCCL_DEVICEMEMORY_H
#define SPMD_NCCL_DEVICEMEMORY_H

#include "spmd/communicator.h"

#include <cuda_runtime_api.h>

namespace spmd {

/// Copies and fills on the stream of the call, which is \p Own unless the call
/// says otherwise, in its order. \p Device is that of the stream, and current
/// in all calls.
std::unique_ptr<Memory> deviceMemory(cudaStream_t Own, int Device);

} // namespace spmd

#endif // SPMD_NCCL_DEVICEMEMORY_H
