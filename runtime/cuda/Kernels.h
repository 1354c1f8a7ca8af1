//===- Kernels.h - Copies, scaling, hashes on a CUDA device -----*- C++ -*-===//
//
// Launches on a stream, in its order; what they return is the launch's error.
// All sizes are in bytes unless they say otherwise. Units as wide as alignment
// allows, 16 bytes at best, are moved by neighbouring threads.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_CUDA_KERNELS_H
#define SPMD_CUDA_KERNELS_H

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>

namespace spmd::cuda {

/// \p Rows runs of \p RowBytes, whose starts are a pitch apart: the pieces of a
/// tensor that is cut on another dim than its first, a slice of one.
cudaError_t copyRows(void *To, std::size_t ToPitch, const void *From,
                     std::size_t FromPitch, std::size_t RowBytes,
                     std::size_t Rows, cudaStream_t Stream);

/// Of a copy between arrays with any strides; outermost dim first, strides in
/// bytes.
struct Box {
  static constexpr int MaxRank = 12;
  int Rank = 0;
  std::int64_t Extents[MaxRank], To[MaxRank], From[MaxRank];
};
/// Elements of \p Size bytes: 1, 2, 4, 8 or 16.
cudaError_t copyBox(void *To, const void *From, const Box &B, std::size_t Size,
                    cudaStream_t Stream);

/// In the order of DType.
enum class Scalar : std::uint8_t { F16, BF16, F32, F64 };
/// \p Count elements times \p By, rounded once.
cudaError_t scale(void *X, Scalar T, std::int64_t Count, double By,
                  cudaStream_t Stream);

/// Adds to \p To, on the device, the sum of detail::elementHash of \p Count
/// elements of \p Size bytes, of which NaNs are above \p Infinity.
cudaError_t addHash(std::uint64_t *To, const void *X, std::size_t Size,
                    std::int64_t Count, std::uint64_t Infinity,
                    cudaStream_t Stream);

} // namespace spmd::cuda

#endif // SPMD_CUDA_KERNELS_H
