// A rank's place in the mesh, and its device.

#pragma once

#include "check.h"
#include "rendezvous.h"

namespace zero {

/// One axis: all ranks of the job are replicas that see different data.
struct Parallel {
  [[spmd::type("dp: V")]] int rank = 0;
  int size = 1;
  [[spmd::axis("dp")]] ncclComm_t dp = nullptr;

  cudaStream_t stream = nullptr;
  cublasHandle_t blas = nullptr;
  double *scalar = nullptr; ///< device memory for one number to reduce
};

ncclUniqueId make_id();
/// Rank 0's, on all processes of the job.
ncclUniqueId meet(const World &world);

/// This rank's place and device. All ranks call it with the same \p id.
Parallel connect(const World &world, const ncclUniqueId &id);
void disconnect(Parallel &parallel);

} // namespace zero
