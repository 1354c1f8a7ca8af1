#include "DeviceMemory.h"

#include "CheckCuda.h"

#include "../cuda/Kernels.h"

namespace spmd {
namespace {

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
    check(cuda::copyRows(To, ToPitch, From, FromPitch, RowBytes, Rows, Stream),
          "copying rows");
  }

  void copyStrided(void *To, const void *From, const StridedCopy &Of) override {
    const StridedCopy C = Of.simplified();
    const std::size_t Rank = C.Extents.size();
    const bool HasRuns = Rank && C.To[Rank - 1] == 1 && C.From[Rank - 1] == 1;
    if (Rank == 0 || (HasRuns && Rank <= 2) || C.Extents[0] == 0)
      return Memory::copyStrided(To, From, C);
    cuda::Box B;
    std::size_t Unit = C.Size;
    B.Rank = static_cast<int>(Rank);
    std::uintptr_t All = reinterpret_cast<std::uintptr_t>(To) |
                         reinterpret_cast<std::uintptr_t>(From);
    for (std::size_t D = 0; D < Rank; ++D) {
      B.Extents[D] = C.Extents[D];
      B.To[D] = C.To[D] * static_cast<std::int64_t>(C.Size);
      B.From[D] = C.From[D] * static_cast<std::int64_t>(C.Size);
      if (D + 1 < Rank)
        All |= static_cast<std::uintptr_t>(B.To[D] | B.From[D]);
    }
    // Runs are moved in units as wide as they allow.
    const std::size_t Run =
        C.Size * static_cast<std::size_t>(B.Extents[Rank - 1]);
    while (HasRuns && Unit < 16 && (All | Run) % (2 * Unit) == 0)
      Unit *= 2;
    if (HasRuns) {
      B.Extents[Rank - 1] = static_cast<std::int64_t>(Run / Unit);
      B.To[Rank - 1] = B.From[Rank - 1] = static_cast<std::int64_t>(Unit);
    }
    check(cuda::copyBox(To, From, B, Unit, Stream), "copying a box");
  }

  void zero(void *To, std::size_t Bytes) override {
    check(cuda::zero(To, Bytes, Stream), "filling with zeros");
  }

  void scale(void *X, DType Type, std::int64_t Count, double By) override {
    if (Type > DType::F64)
      detail::fail(std::string("spmd: whole numbers, ") + nameOf(Type) +
                   ", are not scaled");
    check(cuda::scale(X, static_cast<cuda::Scalar>(Type), Count, By, Stream),
          "scaling");
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
