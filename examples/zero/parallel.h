// A rank's place in the mesh, and its device.

#pragma once

#include "check.h"

#include <spmd/spmd.h>

namespace zero {

/// One axis: all ranks of the job are replicas that see different data.
struct Parallel {
  [[spmd::type("dp: V")]] int rank = 0;
  int size = 1;
  [[spmd::axis("dp")]] spmd::Axis dp; ///< its operators go to the stream

  cudaStream_t stream = nullptr;
  cublasHandle_t blas = nullptr;
  double *scalar = nullptr; ///< device memory for one number to reduce
};

/// This rank's place and device. All ranks of \p job call it.
Parallel connect(const spmd::Job &job);
void disconnect(Parallel &parallel);

} // namespace zero
