#include "spmd/communicator.h"

#include <cstring>

namespace spmd {
namespace {

class HostMemory final : public Memory {
public:
  void copyRows(void *To, std::size_t ToPitch, const void *From,
                std::size_t FromPitch, std::size_t RowBytes,
                std::size_t Rows) override {
    if (RowBytes == 0)
      return;
    if (ToPitch == RowBytes && FromPitch == RowBytes) {
      RowBytes *= Rows;
      Rows = Rows ? 1 : 0;
    }
    char *T = static_cast<char *>(To);
    const char *F = static_cast<const char *>(From);
    for (std::size_t R = 0; R < Rows; ++R, T += ToPitch, F += FromPitch)
      if (T != F)
        std::memcpy(T, F, RowBytes);
  }

  void zero(void *To, std::size_t Bytes) override {
    if (Bytes)
      std::memset(To, 0, Bytes);
  }

  void upload(void *To, const void *Host, std::size_t Bytes) override {
    if (Bytes)
      std::memcpy(To, Host, Bytes);
  }
  void download(void *Host, const void *From, std::size_t Bytes) override {
    upload(Host, From, Bytes);
  }

  std::shared_ptr<void> allocate(std::size_t Bytes) override {
    return std::shared_ptr<void>(::operator new(Bytes),
                                 [](void *Of) { ::operator delete(Of); });
  }

  void *scratch(int Slot, std::size_t Bytes) override {
    // Grows to the largest call and stays: no allocation once warm.
    thread_local std::unique_ptr<std::max_align_t[]> Buffers[2];
    thread_local std::size_t Sizes[2] = {0, 0};
    const std::size_t Units =
        (Bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
    if (Sizes[Slot] < Units) {
      Buffers[Slot].reset(new std::max_align_t[Units]);
      Sizes[Slot] = Units;
    }
    return Buffers[Slot].get();
  }
};

} // namespace

Memory &hostMemory() {
  static HostMemory Host;
  return Host;
}

} // namespace spmd
