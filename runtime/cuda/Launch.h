//===- Launch.h - A kernel, and the error of its launch alone ---*- C++ -*-===//

#ifndef SPMD_CUDA_LAUNCH_H
#define SPMD_CUDA_LAUNCH_H

#include <cuda_runtime.h>

namespace spmd::cuda {

/// The last error of the thread may be an earlier one, of somebody else.
template <class... Params, class... Args>
cudaError_t launch(void (*Kernel)(Params...), dim3 Grid, dim3 Block,
                   cudaStream_t Stream, Args... With) {
  cudaLaunchConfig_t Config = {};
  Config.gridDim = Grid;
  Config.blockDim = Block;
  Config.stream = Stream;
  return cudaLaunchKernelEx(&Config, Kernel, static_cast<Params>(With)...);
}

} // namespace spmd::cuda

#endif // SPMD_CUDA_LAUNCH_H
