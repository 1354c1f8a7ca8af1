#include "Stream.h"

#include "spmd/communicator.h"

namespace spmd {
namespace {

/// Rows of a length that the compiler knows.
template <std::size_t Bytes>
void copyShort(char *To, std::size_t ToPitch, const char *From,
               std::size_t FromPitch, std::size_t Rows) {
  for (std::size_t R = 0; R < Rows; ++R)
    std::memcpy(To + R * ToPitch, From + R * FromPitch, Bytes);
}

using CopyRows = void (*)(char *, std::size_t, const char *, std::size_t,
                          std::size_t);

/// Null where rows are long enough for a call each.
CopyRows copyShortRows(std::size_t Bytes) {
  switch (Bytes) {
  case 1:
    return copyShort<1>;
  case 2:
    return copyShort<2>;
  case 4:
    return copyShort<4>;
  case 8:
    return copyShort<8>;
  case 16:
    return copyShort<16>;
  case 32:
    return copyShort<32>;
  case 64:
    return copyShort<64>;
  case 128:
    return copyShort<128>;
  default:
    return nullptr;
  }
}

class HostMemory final : public Memory {
public:
  void copyRows(void *To, std::size_t ToPitch, const void *From,
                std::size_t FromPitch, std::size_t RowBytes,
                std::size_t Rows) override {
    if (RowBytes == 0 || To == From)
      return;
    if (ToPitch == RowBytes && FromPitch == RowBytes) {
      RowBytes *= Rows;
      Rows = Rows ? 1 : 0;
    }
    char *T = static_cast<char *>(To);
    const char *F = static_cast<const char *>(From);
    // One run is for memcpy, which knows when to stream.
    if (Rows > 1 && RowBytes >= 64 && RowBytes * Rows >= StreamsFrom) {
      // Hardware looks ahead in one run, not from row to row.
      const std::size_t Ahead =
          RowBytes < 4096
              ? FromPitch * std::max<std::size_t>(1, 1024 / RowBytes)
              : 1024;
      for (std::size_t R = 0; R < Rows; ++R)
        stream(T + R * ToPitch, F + R * FromPitch, RowBytes, Ahead);
      return finishStreams();
    }
    if (const CopyRows Short = copyShortRows(RowBytes))
      return Short(T, ToPitch, F, FromPitch, Rows);
    for (std::size_t R = 0; R < Rows; ++R)
      std::memcpy(T + R * ToPitch, F + R * FromPitch, RowBytes);
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
    thread_local std::unique_ptr<std::max_align_t[]> Buffers[Slots];
    thread_local std::size_t Sizes[Slots] = {};
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
