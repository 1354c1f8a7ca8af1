//===- SideStream.h - Where started operators run ---------------*- C++ -*-===//

#ifndef SPMD_NCCL_SIDESTREAM_H
#define SPMD_NCCL_SIDESTREAM_H

#include "Capture.h"

#include "spmd/nccl.h"

namespace spmd {

/// An order between streams, without times.
cudaEvent_t makeEvent();
/// What is put on \p After from now on waits for what is on \p Before.
void order(cudaStream_t Before, cudaEvent_t By, cudaStream_t After);

/// Made by the first operator that is started on a communicator.
struct NcclCommunicator::Side {
  Side();
  ~Side();
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;

  cudaStream_t Stream = nullptr;
  /// An operator may begin.
  cudaEvent_t Ready = nullptr;
};

} // namespace spmd

#endif // SPMD_NCCL_SIDESTREAM_H
