#include "Tensors.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <utility>

namespace {

thread_local cudaStream_t Current = nullptr;
thread_local std::vector<std::pair<const void *, cudaStream_t>> Recorded;

c10::Stream streamOf(cudaStream_t S, c10::Device On) {
  return c10::Stream(c10::Stream::UNSAFE, On,
                     reinterpret_cast<c10::StreamId>(S));
}
cudaStream_t of(c10::Stream S) {
  return reinterpret_cast<cudaStream_t>(S.id());
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return at::kCUDA; }
  c10::Device exchangeDevice(c10::Device To) const override {
    const c10::Device Before = getDevice();
    setDevice(To);
    return Before;
  }
  c10::Device getDevice() const override {
    int Now = 0;
    cudaGetDevice(&Now);
    return {at::kCUDA, static_cast<c10::DeviceIndex>(Now)};
  }
  void setDevice(c10::Device To) const override { cudaSetDevice(To.index()); }
  void uncheckedSetDevice(c10::Device To) const noexcept override {
    cudaSetDevice(To.index());
  }
  c10::Stream getStream(c10::Device On) const noexcept override {
    return streamOf(Current, On);
  }
  c10::Stream exchangeStream(c10::Stream S) const noexcept override {
    return streamOf(std::exchange(Current, of(S)), S.device());
  }
  c10::DeviceIndex deviceCount() const noexcept override { return 4; }
};

at::Tensor empty(at::IntArrayRef Shape, at::ScalarType Type) {
  std::int64_t Count = 1;
  for (const std::int64_t Extent : Shape)
    Count *= Extent;
  void *At = nullptr;
  // In the order of the current stream, as libtorch's own allocator has it.
  cudaMallocFromPoolAsync(
      &At, static_cast<std::size_t>(Count) * at::elementSize(Type), nullptr,
      Current);
  const c10::Device On = Guard().getDevice();
  return at::for_blob(At, Shape)
      .deleter([On = Current](void *Data) { cudaFreeAsync(Data, On); })
      .target_device(On)
      .options(at::device(On).dtype(Type))
      .make_tensor();
}

at::Tensor emptyKernel(at::IntArrayRef Shape,
                       c10::optional<at::ScalarType> Type,
                       c10::optional<at::Layout>, c10::optional<at::Device>,
                       c10::optional<bool>, c10::optional<at::MemoryFormat>) {
  return empty(Shape, Type.value_or(at::kFloat));
}

void recordKernel(at::Tensor &X, c10::Stream S) {
  Recorded.emplace_back(X.data_ptr(), of(S));
}

TORCH_LIBRARY_IMPL(aten, CUDA, Kernels) {
  Kernels.impl("empty.memory_format", emptyKernel);
  Kernels.impl("record_stream", recordKernel);
}

C10_REGISTER_GUARD_IMPL(CUDA, Guard);

} // namespace

namespace c10::cuda {

CUDAStream getCurrentCUDAStream(DeviceIndex On) {
  return CUDAStream(streamOf(Current, {at::kCUDA, On}));
}
cudaStream_t CUDAStream::stream() const { return of(unwrap()); }

} // namespace c10::cuda

namespace spmd::test {

at::Tensor onDevice(const std::vector<float> &Of, at::IntArrayRef Shape) {
  at::Tensor X = empty(Shape, at::kFloat);
  cudaMemcpyAsync(X.data_ptr(), Of.data(), Of.size() * sizeof(float),
                  cudaMemcpyHostToDevice, Current);
  cudaStreamSynchronize(Current);
  return X;
}

std::vector<float> valuesOf(const at::Tensor &X, cudaStream_t On) {
  std::vector<float> Out(static_cast<std::size_t>(X.numel()));
  cudaMemcpyAsync(Out.data(), X.data_ptr(), Out.size() * sizeof(float),
                  cudaMemcpyDeviceToHost, On);
  cudaStreamSynchronize(On);
  return Out;
}

void setCurrent(cudaStream_t S) { Current = S; }

std::vector<std::pair<const void *, cudaStream_t>> recorded() {
  return std::exchange(Recorded, {});
}

} // namespace spmd::test
