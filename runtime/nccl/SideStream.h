//===- SideStream.h - Where started operators run ---------------*- C++ -*-===//

#ifndef SPMD_NCCL_SIDESTREAM_H
#define SPMD_NCCL_SIDESTREAM_H

#include "spmd/nccl.h"

namespace spmd {

/// Made by the first operator that is started on a communicator.
struct NcclCommunicator::Side {
  Side();
  ~Side();
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;

  cudaStream_t Stream = nullptr;
  /// The last operator here is done; an operator may begin.
  cudaEvent_t Last = nullptr, Ready = nullptr;
};

} // namespace spmd

#endif // SPMD_NCCL_SIDESTREAM_H
