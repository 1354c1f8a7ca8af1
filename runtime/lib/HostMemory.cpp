#include "Elements.h"
#include "HostPieces.h"
#include "Stream.h"
#include "Strided.h"

#include "spmd/communicator.h"

#include <mutex>

namespace spmd {
namespace {

/// Two dims of which none is dense in both arrays, as in a transposition. By
/// tiles that are narrow inside: lines that are a power of two apart share few
/// places in a cache, and all of a tile's are to stay there.
template <std::size_t Known>
void copyTiles(char *To, const char *From, std::size_t Size,
               const std::int64_t (&Extents)[2],
               const std::int64_t (&ToStrides)[2],
               const std::int64_t (&FromStrides)[2]) {
  constexpr std::int64_t Outer = 64, Inner = 8;
  for (std::int64_t I = 0; I < Extents[0]; I += Outer)
    for (std::int64_t J = 0; J < Extents[1]; J += Inner) {
      const std::int64_t IEnd = std::min(Extents[0], I + Outer);
      const std::int64_t JEnd = std::min(Extents[1], J + Inner);
      for (std::int64_t X = I; X < IEnd; ++X)
        for (std::int64_t Y = J; Y < JEnd; ++Y)
          copyRun<Known>(To + X * ToStrides[0] + Y * ToStrides[1],
                         From + X * FromStrides[0] + Y * FromStrides[1], Size);
    }
}

template <class T, class Wide> void scaleAll(void *X, std::int64_t N, Wide By) {
  T *const All = static_cast<T *>(X);
  for (std::int64_t E = 0; E < N; ++E)
    if constexpr (std::is_floating_point<T>::value)
      All[E] *= By;
    else
      All[E] = T::of(static_cast<Wide>(All[E]) * By);
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
    withKnownLength(RowBytes, [&](auto Known) {
      for (std::size_t R = 0; R < Rows; ++R)
        copyRun<decltype(Known)::value>(T + R * ToPitch, F + R * FromPitch,
                                        RowBytes);
    });
  }

  void pack(void *Pieces, const void *Whole, std::size_t Rows,
            const Counts &Runs, int Ranks) override {
    // Of the whole it only reads.
    copyPieces<true>({static_cast<char *>(Pieces),
                      static_cast<char *>(const_cast<void *>(Whole)), Rows,
                      Runs, Ranks});
  }
  void unpack(void *Whole, const void *Pieces, std::size_t Rows,
              const Counts &Runs, int Ranks) override {
    copyPieces<false>({static_cast<char *>(const_cast<void *>(Pieces)),
                       static_cast<char *>(Whole), Rows, Runs, Ranks});
  }

  void copyStrided(void *To, const void *From, const StridedCopy &Of) override {
    const StridedCopy C = Of.simplified();
    const std::size_t Rank = C.Extents.size();
    if (Rank < 2 || endsInRuns(C))
      return Memory::copyStrided(To, From, C);
    const std::int64_t Size = static_cast<std::int64_t>(C.Size);
    const std::size_t A = Rank - 2, B = Rank - 1;
    const std::int64_t Extents[2] = {C.Extents[A], C.Extents[B]},
                       ToStrides[2] = {C.To[A] * Size, C.To[B] * Size},
                       FromStrides[2] = {C.From[A] * Size, C.From[B] * Size};
    eachOuter(C, A, [&](std::int64_t AtTo, std::int64_t AtFrom) {
      char *const T = static_cast<char *>(To) + AtTo;
      const char *const F = static_cast<const char *>(From) + AtFrom;
      withKnownLength(C.Size, [&](auto Known) {
        copyTiles<decltype(Known)::value>(T, F, C.Size, Extents, ToStrides,
                                          FromStrides);
      });
    });
  }

  void scale(void *X, DType Type, std::int64_t Count, double By) override {
    detail::withElement(Type, [&](auto Of) {
      using T = decltype(Of);
      if constexpr (std::is_integral<T>::value)
        detail::fail(std::string("spmd: whole numbers, ") + nameOf(Type) +
                     ", are not scaled");
      else
        scaleAll<T>(
            X, Count,
            static_cast<std::conditional_t<std::is_same<T, double>::value,
                                           double, float>>(By));
    });
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
    return std::shared_ptr<void>(::operator new(Bytes, Line), Freed());
  }

  void *scratch(int Slot, std::size_t Bytes) override {
    // Grows to the largest call and stays: no allocation once warm.
    Scratch &Mine = scratchOfThread();
    if (Mine.Sizes[Slot] < Bytes) {
      Mine.Buffers[Slot].reset(::operator new(Bytes, Line));
      Mine.Sizes[Slot] = Bytes;
    }
    return Mine.Buffers[Slot].get();
  }

  void leaveScratch() override {
    Scratch &Mine = scratchOfThread();
    for (std::unique_ptr<void, Freed> &Buffer : Mine.Buffers)
      detail::keepForGood(std::move(Buffer));
    std::fill(std::begin(Mine.Sizes), std::end(Mine.Sizes), 0);
  }

private:
  /// As libtorch's tensors: what is moved in registers of any width then lies
  /// in as few lines as it can.
  static constexpr std::align_val_t Line{64};
  struct Freed {
    void operator()(void *Of) const { ::operator delete(Of, Line); }
  };

  struct Scratch {
    std::unique_ptr<void, Freed> Buffers[Slots];
    std::size_t Sizes[Slots] = {};
  };
  static Scratch &scratchOfThread() {
    thread_local Scratch Mine;
    return Mine;
  }
};

} // namespace

void detail::keepForGood(std::shared_ptr<void> Memory) {
  static std::mutex &Lock = *new std::mutex;
  static auto &All = *new std::vector<std::shared_ptr<void>>;
  const std::lock_guard<std::mutex> Held(Lock);
  if (Memory)
    All.push_back(std::move(Memory));
}

Memory &hostMemory() {
  static HostMemory Host;
  return Host;
}

} // namespace spmd
