#include "Kernels.h"
#include "Launch.h"

#include "../lib/ElementHash.h"

#include <algorithm>

namespace spmd::cuda {
namespace {

template <class Word>
__global__ void hashKernel(unsigned long long *To, const Word *X,
                           std::int64_t Count, Word Infinity) {
  const std::int64_t Step = std::int64_t(gridDim.x) * blockDim.x;
  unsigned long long Sum = 0;
  for (std::int64_t I = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Count; I += Step)
    Sum += detail::elementHash(X[I], Infinity, std::uint64_t(I));
  for (int Other = 16; Other; Other /= 2)
    Sum += __shfl_down_sync(0xffffffff, Sum, Other);
  if (threadIdx.x % 32 == 0)
    atomicAdd(To, Sum);
}

template <class Word>
cudaError_t launchHash(std::uint64_t *To, const void *X, std::int64_t Count,
                       std::uint64_t Infinity, cudaStream_t Stream) {
  constexpr int Threads = 256;
  const auto Blocks = static_cast<unsigned>(
      std::min<std::int64_t>((Count + Threads - 1) / Threads, 132 * 16));
  return launch(hashKernel<Word>, Blocks, Threads, Stream,
                reinterpret_cast<unsigned long long *>(To),
                static_cast<const Word *>(X), Count,
                static_cast<Word>(Infinity));
}

} // namespace

cudaError_t addHash(std::uint64_t *To, const void *X, std::size_t Size,
                    std::int64_t Count, std::uint64_t Infinity,
                    cudaStream_t Stream) {
  if (Count == 0)
    return cudaSuccess;
  switch (Size) {
  case 1:
    return launchHash<std::uint8_t>(To, X, Count, Infinity, Stream);
  case 2:
    return launchHash<std::uint16_t>(To, X, Count, Infinity, Stream);
  case 4:
    return launchHash<std::uint32_t>(To, X, Count, Infinity, Stream);
  case 8:
    return launchHash<std::uint64_t>(To, X, Count, Infinity, Stream);
  default:
    return cudaErrorInvalidValue;
  }
}

} // namespace spmd::cuda
