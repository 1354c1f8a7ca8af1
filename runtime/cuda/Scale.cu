#include "Kernels.h"
#include "Launch.h"

#include <algorithm>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace spmd::cuda {
namespace {

__device__ float times(float X, float By) { return X * By; }
__device__ double times(double X, double By) { return X * By; }
__device__ __half times(__half X, float By) {
  return __float2half_rn(__half2float(X) * By);
}
__device__ __nv_bfloat16 times(__nv_bfloat16 X, float By) {
  return __float2bfloat16_rn(__bfloat162float(X) * By);
}

/// As many elements as sixteen bytes hold.
template <class T> struct alignas(16) Pack {
  static constexpr int Count = 16 / sizeof(T);
  T Elements[Count];
};

template <class T, class Factor>
__global__ void scaleKernel(T *X, std::int64_t Count, std::int64_t Packs,
                            Factor By) {
  const std::int64_t First =
      std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t Step = std::int64_t(gridDim.x) * blockDim.x;
  Pack<T> *const All = reinterpret_cast<Pack<T> *>(X);
  for (std::int64_t P = First; P < Packs; P += Step) {
    Pack<T> One = All[P];
#pragma unroll
    for (T &E : One.Elements)
      E = times(E, By);
    All[P] = One;
  }
  for (std::int64_t I = Packs * Pack<T>::Count + First; I < Count; I += Step)
    X[I] = times(X[I], By);
}

template <class T, class Factor>
cudaError_t launchScale(void *X, std::int64_t Count, Factor By,
                        cudaStream_t Stream) {
  constexpr int Threads = 256;
  const bool IsAligned = reinterpret_cast<std::uintptr_t>(X) % 16 == 0;
  const std::int64_t Packs = IsAligned ? Count / Pack<T>::Count : 0;
  const std::int64_t Work = IsAligned ? Packs + Pack<T>::Count : Count;
  const auto Blocks = static_cast<unsigned>(
      std::min<std::int64_t>((Work + Threads - 1) / Threads, 132 * 16));
  return launch(scaleKernel<T, Factor>, Blocks, Threads, Stream,
                static_cast<T *>(X), Count, Packs, By);
}

} // namespace

cudaError_t scale(void *X, Scalar T, std::int64_t Count, double By,
                  cudaStream_t Stream) {
  if (Count == 0)
    return cudaSuccess;
  switch (T) {
  case Scalar::F16:
    return launchScale<__half>(X, Count, static_cast<float>(By), Stream);
  case Scalar::BF16:
    return launchScale<__nv_bfloat16>(X, Count, static_cast<float>(By), Stream);
  case Scalar::F32:
    return launchScale<float>(X, Count, static_cast<float>(By), Stream);
  case Scalar::F64:
    return launchScale<double>(X, Count, By, Stream);
  }
  return cudaErrorInvalidValue;
}

} // namespace spmd::cuda
