// This process's place in the mesh, and its device.

#pragma once

#include "check.h"

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

/// Meets the other processes as torchrun's variables RANK, WORLD_SIZE,
/// LOCAL_RANK, MASTER_ADDR and MASTER_PORT say. Without them: a world of one.
Parallel connect();
void disconnect(Parallel &parallel);

} // namespace zero
