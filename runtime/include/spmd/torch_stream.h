//===- torch_stream.h - The current stream of a tensor ----------*- C++ -*-===//

#ifndef SPMD_TORCH_STREAM_H
#define SPMD_TORCH_STREAM_H

#include "spmd/backend.h"
#include "spmd/stream.h"

#include <ATen/ATen.h>

#include <optional>

// A libtorch for the host alone has the other headers of CUDA too.
#if __has_include(<c10/cuda/impl/cuda_cmake_macros.h>)
#include <c10/cuda/CUDAStream.h>
#define SPMD_TORCH_HAS_CUDA
#endif

namespace spmd::detail {

/// While it lives, what is called is on memory like that of a tensor. Of a
/// device, that is current, and the call goes to its current stream, as the
/// tensor's own operations do.
class TensorStream {
public:
  explicit TensorStream(const at::Tensor &X)
      : Where(X.defined() && X.is_cuda()) {
#ifdef SPMD_TORCH_HAS_CUDA
    if (!X.defined() || !X.is_cuda())
      return;
    On.emplace(X.device());
    Here.emplace(c10::cuda::getCurrentCUDAStream(X.device().index()).stream());
#endif
  }

private:
  const BackendScope Where;
#ifdef SPMD_TORCH_HAS_CUDA
  std::optional<c10::DeviceGuard> On;
#endif
  std::optional<StreamScope> Here;
};

/// Where tensors of an operator were made. One that is then used on another
/// stream is not to be had again before that stream is done with it.
class MadeOn {
public:
  explicit MadeOn(const at::Tensor &X) {
#ifdef SPMD_TORCH_HAS_CUDA
    if (X.is_cuda())
      Then = c10::cuda::getCurrentCUDAStream(X.device().index());
#else
    (void)X;
#endif
  }
  void isUsedHere(const at::Tensor &X) const {
#ifdef SPMD_TORCH_HAS_CUDA
    if (!Then || !X.defined())
      return;
    const auto Now = c10::cuda::getCurrentCUDAStream(X.device().index());
    if (Now != *Then)
      X.record_stream(Now);
#else
    (void)X;
#endif
  }

private:
#ifdef SPMD_TORCH_HAS_CUDA
  std::optional<c10::cuda::CUDAStream> Then;
#endif
};

} // namespace spmd::detail

#endif // SPMD_TORCH_STREAM_H
