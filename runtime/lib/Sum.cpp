#include "Sum.h"

#include "Elements.h"
#include "Stream.h"

namespace spmd::detail {
namespace {

/// What a type is added in: short floats in float.
template <class T>
using Wide = std::conditional_t<std::is_arithmetic<T>::value, T, float>;

/// Unsigned, so that overflow wraps as it does in the collectives of others.
template <class T, class Enable = void> struct Wrapping {
  using Type = T;
};
template <class T>
struct Wrapping<T, std::enable_if_t<std::is_integral<T>::value>> {
  using Type = std::make_unsigned_t<T>;
};

/// In blocks that stay in the first-level cache, so that every buffer is read
/// once and written once.
template <class T>
void sumOf(const void *const *From, int Count, std::int64_t Begin,
           std::int64_t End, void *const *To, int Copies, std::int64_t At,
           double By, bool Streams) {
  using In = Wide<T>;
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
        Rounded[E] = T::of(Total[E]);
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
  if (Type == DType::Bool) // has none
    return;
  withElement(Type, [&](auto Of) {
    using T = typename Wrapping<decltype(Of)>::Type;
    sumOf<T>(From, Count, Begin, End, To, Copies, At, By, Streams);
    if (Streams)
      finishStreams();
  });
}

} // namespace spmd::detail
