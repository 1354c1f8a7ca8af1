//===- Tensors.h - CUDA tensors without a device ----------------*- C++ -*-===//
//
// As much of libtorch's CUDA as operators of the runtime meet, over the
// stand-in of CUDA's own runtime: memory, the current device and stream, and
// what is recorded on a stream.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TEST_UNIT_RUNTIME_TORCH_CUDA_TENSORS_H
#define SPMD_TEST_UNIT_RUNTIME_TORCH_CUDA_TENSORS_H

#include <ATen/ATen.h>
#include <cuda_runtime_api.h>

#include <vector>

namespace spmd::test {

/// On the current device.
at::Tensor onDevice(const std::vector<float> &Of, at::IntArrayRef Shape);
/// Waits for \p On.
std::vector<float> valuesOf(const at::Tensor &X, cudaStream_t On);

/// Makes \p S the current stream of the thread; of its device, whose number is
/// a tensor's.
void setCurrent(cudaStream_t S);

/// The memory of tensors that this thread has recorded on streams.
std::vector<std::pair<const void *, cudaStream_t>> recorded();

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_TORCH_CUDA_TENSORS_H
