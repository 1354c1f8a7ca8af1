#include "DeviceMemory.h"

namespace spmd {
namespace {

void check(cudaError_t Result, const char *Call) {
  if (Result != cudaSuccess)
    detail::fail(std::string("spmd: ") + Call + ": " +
                 cudaGetErrorString(Result));
}

class DeviceMemory final : public Memory {
public:
  explicit DeviceMemory(cudaStream_t Stream) : Stream(Stream) {}
  ~DeviceMemory() override {
    for (void *Buffer : Buffers)
      cudaFree(Buffer);
  }

  void copyRows(void *To, std::size_t ToPitch, const void *From,
                std::size_t FromPitch, std::size_t RowBytes,
                std::size_t Rows) override {
    if (RowBytes == 0 || Rows == 0 || To == From)
      return;
    if (ToPitch == RowBytes && FromPitch == RowBytes) {
      check(cudaMemcpyAsync(To, From, RowBytes * Rows, cudaMemcpyDeviceToDevice,
                            Stream),
            "cudaMemcpyAsync");
      return;
    }
    // The copy engine's pitch is a signed 32-bit number.
    constexpr std::size_t MaxPitch = 0x7fffffff;
    if (ToPitch <= MaxPitch && FromPitch <= MaxPitch) {
      check(cudaMemcpy2DAsync(To, ToPitch, From, FromPitch, RowBytes, Rows,
                              cudaMemcpyDeviceToDevice, Stream),
            "cudaMemcpy2DAsync");
      return;
    }
    for (std::size_t R = 0; R < Rows; ++R)
      check(cudaMemcpyAsync(static_cast<char *>(To) + R * ToPitch,
                            static_cast<const char *>(From) + R * FromPitch,
                            RowBytes, cudaMemcpyDeviceToDevice, Stream),
            "cudaMemcpyAsync");
  }

  void zero(void *To, std::size_t Bytes) override {
    if (Bytes)
      check(cudaMemsetAsync(To, 0, Bytes, Stream), "cudaMemsetAsync");
  }

  void upload(void *To, const void *Host, std::size_t Bytes) override {
    copyAndWait(To, Host, Bytes, cudaMemcpyHostToDevice);
  }
  void download(void *Host, const void *From, std::size_t Bytes) override {
    copyAndWait(Host, From, Bytes, cudaMemcpyDeviceToHost);
  }

  std::shared_ptr<void> allocate(std::size_t Bytes) override {
    void *Buffer = nullptr;
    check(cudaMalloc(&Buffer, Bytes), "cudaMalloc");
    return std::shared_ptr<void>(Buffer, cudaFree);
  }

  void *scratch(int Slot, std::size_t Bytes) override {
    if (Sizes[Slot] < Bytes) {
      // Waits until the device is done with the old one.
      check(cudaFree(Buffers[Slot]), "cudaFree");
      Buffers[Slot] = nullptr;
      Sizes[Slot] = 0;
      check(cudaMalloc(&Buffers[Slot], Bytes), "cudaMalloc");
      Sizes[Slot] = Bytes;
    }
    return Buffers[Slot];
  }

private:
  void copyAndWait(void *To, const void *From, std::size_t Bytes,
                   cudaMemcpyKind Kind) {
    check(cudaMemcpyAsync(To, From, Bytes, Kind, Stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(Stream), "cudaStreamSynchronize");
  }

  cudaStream_t Stream;
  void *Buffers[Slots] = {};
  std::size_t Sizes[Slots] = {};
};

} // namespace

std::unique_ptr<Memory> deviceMemory(cudaStream_t Stream) {
  return std::make_unique<DeviceMemory>(Stream);
}

} // namespace spmd
