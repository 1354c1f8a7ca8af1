#include "Sum.h"

#include "Stream.h"

#include "spmd/float8.h"

namespace spmd::detail {
namespace {

/// What a type is added in, and how it comes back where that is longer.
template <class T> struct Sums {
  using In = T;
};
template <> struct Sums<bfloat16> {
  using In = float;
  static bfloat16 round(float X) { return bfloat16::of(X); }
};
template <int M> struct Sums<float8<M>> {
  using In = float;
  static float8<M> round(float X) { return float8<M>::of(X); }
};
template <> struct Sums<half> {
  using In = float;
  static half round(float X) { return half::of(X); }
};

/// In blocks that stay in the first-level cache, so that every buffer is read
/// once and written once.
template <class T>
void sumOf(const void *const *From, int Count, std::int64_t Begin,
           std::int64_t End, void *const *To, int Copies, std::int64_t At,
           double By, bool Streams) {
  using In = typename Sums<T>::In;
  constexpr std::int64_t Block = 1024;
  alignas(64) In Total[Block];
  alignas(64) T Rounded[Block];
  const auto Input = [From](int K, std::int64_t First) {
    return static_cast<const T *>(From[K]) + First;
  };
  for (std::int64_t B = Begin; B < End; B += Block) {
    const std::int64_t N = std::min(Block, End - B);
    const T *X = Input(0, B), *Y = Input(1, B);
    for (std::int64_t E = 0; E < N; ++E)
      Total[E] = static_cast<In>(static_cast<In>(X[E]) + static_cast<In>(Y[E]));
    for (int K = 2; K < Count; ++K) {
      X = Input(K, B);
      for (std::int64_t E = 0; E < N; ++E)
        Total[E] = static_cast<In>(Total[E] + static_cast<In>(X[E]));
    }
    if constexpr (std::is_floating_point<In>::value)
      if (By != 1)
        for (std::int64_t E = 0; E < N; ++E)
          Total[E] *= static_cast<In>(By);
    const void *Result = Total;
    if constexpr (sizeof(In) != sizeof(T)) {
      for (std::int64_t E = 0; E < N; ++E)
        Rounded[E] = Sums<T>::round(Total[E]);
      Result = Rounded;
    }
    const std::size_t Bytes = static_cast<std::size_t>(N) * sizeof(T);
    for (int K = 0; K < Copies; ++K) {
      char *const Place =
          reinterpret_cast<char *>(static_cast<T *>(To[K]) + At + (B - Begin));
      if (Streams)
        stream(Place, static_cast<const char *>(Result), Bytes);
      else
        std::memcpy(Place, Result, Bytes);
    }
  }
}

/// Whether to write past the caches: where the results fill them anyway, and
/// their lines have not been read.
bool streams(std::size_t Bytes, const void *const *From, void *const *To) {
  return Bytes >= StreamsFrom && To[0] != From[0];
}

} // namespace

void sum(DType Type, const void *const *From, int Count, std::int64_t Begin,
         std::int64_t End, void *const *To, int Copies, std::int64_t At,
         double By) {
  const bool Streams =
      streams(static_cast<std::size_t>(End - Begin) * sizeOf(Type), From, To);
  const auto Do = [&](auto Of) {
    sumOf<decltype(Of)>(From, Count, Begin, End, To, Copies, At, By, Streams);
    if (Streams)
      finishStreams();
  };
  switch (Type) {
  case DType::F16:
    return Do(half());
  case DType::BF16:
    return Do(bfloat16());
  case DType::F32:
    return Do(float());
  case DType::F64:
    return Do(double());
  // Unsigned, so that overflow wraps as it does in the collectives of others.
  case DType::I8:
  case DType::U8:
    return Do(std::uint8_t());
  case DType::I32:
  case DType::U32:
    return Do(std::uint32_t());
  case DType::I64:
  case DType::U64:
    return Do(std::uint64_t());
  case DType::F8E4M3:
    return Do(float8_e4m3());
  case DType::F8E5M2:
    return Do(float8_e5m2());
  case DType::Bool: // has none
    return;
  }
}

} // namespace spmd::detail
