#include "DeviceMemory.h"

#include "Capture.h"

#include "../cuda/Kernels.h"
#include "../lib/CallHash.h"

#include "spmd/nccl.h"

namespace spmd {
namespace {

class DeviceMemory final : public Memory {
public:
  DeviceMemory(cudaStream_t Own, int Device) : Own(Own), Device(Device) {}

  bool isDevice() const override { return true; }
  bool owns(const void *Data) const override {
    return isOnDevice(attributesOf(Data));
  }
  std::string refuses(const void *Data) const override {
    int Now = 0;
    check(cudaGetDevice(&Now), "cudaGetDevice");
    if (Now != Device)
      return "is given while CUDA device " + std::to_string(Now) +
             " is current, this axis is on device " + std::to_string(Device) +
             ": call cudaSetDevice before";
    const cudaPointerAttributes Of = attributesOf(Data);
    // CUDA does not know yet what a graph allocates that is being captured.
    if (Of.type == cudaMemoryTypeUnregistered && captureOf(stream()))
      return {};
    const std::string Mine =
        ", this axis works on that of CUDA device " + std::to_string(Device);
    if (!isOnDevice(Of))
      return "is in the host's memory" + Mine;
    if (Of.type == cudaMemoryTypeDevice && Of.device != Device)
      return "is in the memory of CUDA device " + std::to_string(Of.device) +
             Mine;
    return {};
  }

  void copyRows(void *To, std::size_t ToPitch, const void *From,
                std::size_t FromPitch, std::size_t RowBytes,
                std::size_t Rows) override {
    if (RowBytes == 0 || Rows == 0 || To == From)
      return;
    if (ToPitch == RowBytes && FromPitch == RowBytes) {
      check(cudaMemcpyAsync(To, From, RowBytes * Rows, cudaMemcpyDeviceToDevice,
                            stream()),
            "cudaMemcpyAsync");
      return;
    }
    check(
        cuda::copyRows(To, ToPitch, From, FromPitch, RowBytes, Rows, stream()),
        "copying rows");
  }

  // All ranks' runs by one kernel where they are as long.
  void pack(void *Pieces, const void *Whole, std::size_t Rows,
            const Counts &Runs, int Ranks) override {
    if (!Runs.even())
      return Memory::pack(Pieces, Whole, Rows, Runs, Ranks);
    const std::int64_t Run = Runs[0], N = static_cast<std::int64_t>(Rows);
    copyStrided(Pieces, Whole,
                {{Ranks, N, Run}, {N * Run, Run, 1}, {Run, Ranks * Run, 1}, 1});
  }
  void unpack(void *Whole, const void *Pieces, std::size_t Rows,
              const Counts &Runs, int Ranks) override {
    if (!Runs.even())
      return Memory::unpack(Whole, Pieces, Rows, Runs, Ranks);
    const std::int64_t Run = Runs[0], N = static_cast<std::int64_t>(Rows);
    copyStrided(Whole, Pieces,
                {{Ranks, N, Run}, {Run, Ranks * Run, 1}, {N * Run, Run, 1}, 1});
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
    check(cuda::copyBox(To, From, B, Unit, stream()), "copying a box");
  }

  void zero(void *To, std::size_t Bytes) override {
    if (Bytes)
      check(cudaMemsetAsync(To, 0, Bytes, stream()), "cudaMemsetAsync");
  }

  void scale(void *X, DType Type, std::int64_t Count, double By) override {
    if (Type > DType::F64)
      detail::fail(std::string("spmd: ") +
                   (isWhole(Type) ? "whole numbers, " : "floats of 8 bits, ") +
                   nameOf(Type) + ", are not scaled");
    check(cuda::scale(X, static_cast<cuda::Scalar>(Type), Count, By, stream()),
          "scaling");
  }

  void hash(void *To, const void *X, DType Type, std::int64_t Count) override {
    zero(To, sizeof(std::uint64_t));
    check(cuda::addHash(static_cast<std::uint64_t *>(To), X, sizeOf(Type),
                        Count, detail::infinityOf(Type), stream()),
          "hashing");
  }

  void upload(void *To, const void *Host, std::size_t Bytes) override {
    copyAndWait(To, Host, Bytes, cudaMemcpyHostToDevice);
  }
  void download(void *Host, const void *From, std::size_t Bytes) override {
    copyAndWait(Host, From, Bytes, cudaMemcpyDeviceToHost);
  }

  std::shared_ptr<void> allocate(std::size_t Bytes) override {
    return {device_allocator().Allocate(Bytes, stream()), [S = Own](void *At) {
              device_allocator().Free(At, callStream(S));
            }};
  }

  // Each operator has its own, in the order of its stream: calls may be on
  // several, and a graph needs what it was recorded with whenever it runs.
  void *scratch(int Slot, std::size_t Bytes) override {
    release(Slot);
    Held[Slot] = allocate(Bytes);
    return Held[Slot].get();
  }
  void release(int Slot) override { Held[Slot] = nullptr; }

private:
  static cudaPointerAttributes attributesOf(const void *Data) {
    cudaPointerAttributes Of = {};
    check(cudaPointerGetAttributes(&Of, Data), "cudaPointerGetAttributes");
    return Of;
  }
  static bool isOnDevice(const cudaPointerAttributes &Of) {
    return Of.type == cudaMemoryTypeDevice || Of.type == cudaMemoryTypeManaged;
  }
  cudaStream_t stream() const { return callStream(Own); }
  void copyAndWait(void *To, const void *From, std::size_t Bytes,
                   cudaMemcpyKind Kind) {
    const cudaStream_t On = stream();
    if (captureOf(On))
      detail::fail("spmd: what goes between device and host, as SPMD_CHECK=1 "
                   "compares it, cannot be captured in a graph");
    check(cudaMemcpyAsync(To, From, Bytes, Kind, On), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(On), "cudaStreamSynchronize");
  }

  const cudaStream_t Own;
  const int Device;
  std::shared_ptr<void> Held[Slots];
};

} // namespace

std::unique_ptr<Memory> deviceMemory(cudaStream_t Own, int Device) {
  return std::make_unique<DeviceMemory>(Own, Device);
}

} // namespace spmd
