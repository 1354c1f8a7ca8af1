#include "Sum.h"

#include "../Half.h"

#include <algorithm>
#include <cstring>

namespace spmd::local {
namespace {

/// What a type is added in, and how it comes back.
template <class T> struct Sums {
  using In = T;
  static T round(T X) { return X; }
};
// Unsigned, so that overflow wraps as it does in the collectives of others.
template <> struct Sums<std::int8_t> {
  using In = std::uint8_t;
  static std::int8_t round(std::uint8_t X) {
    return static_cast<std::int8_t>(X);
  }
};
template <> struct Sums<std::int32_t> {
  using In = std::uint32_t;
  static std::int32_t round(std::uint32_t X) {
    return static_cast<std::int32_t>(X);
  }
};
template <> struct Sums<std::int64_t> {
  using In = std::uint64_t;
  static std::int64_t round(std::uint64_t X) {
    return static_cast<std::int64_t>(X);
  }
};
template <> struct Sums<BFloat16> {
  using In = float;
  static BFloat16 round(float X) { return BFloat16::of(X); }
};
template <> struct Sums<Float16> {
  using In = float;
  static Float16 round(float X) { return Float16::of(X); }
};

/// In blocks that stay in the first-level cache, so that every buffer is read
/// once and written once.
template <class T>
void sumOf(const void *const *From, int Count, std::int64_t Begin,
           std::int64_t End, void *const *To, int Copies, std::int64_t At) {
  using In = typename Sums<T>::In;
  constexpr std::int64_t Block = 1024;
  In Total[Block];
  T Rounded[Block];
  for (std::int64_t B = Begin; B < End; B += Block) {
    const std::int64_t N = std::min(Block, End - B);
    const T *X = static_cast<const T *>(From[0]) + B;
    for (std::int64_t E = 0; E < N; ++E)
      Total[E] = static_cast<In>(X[E]);
    for (int K = 1; K < Count; ++K) {
      X = static_cast<const T *>(From[K]) + B;
      for (std::int64_t E = 0; E < N; ++E)
        Total[E] = static_cast<In>(Total[E] + static_cast<In>(X[E]));
    }
    for (std::int64_t E = 0; E < N; ++E)
      Rounded[E] = Sums<T>::round(Total[E]);
    for (int K = 0; K < Copies; ++K)
      std::memcpy(static_cast<T *>(To[K]) + At + (B - Begin), Rounded,
                  static_cast<std::size_t>(N) * sizeof(T));
  }
}

} // namespace

void sum(DType Type, const void *const *From, int Count, std::int64_t Begin,
         std::int64_t End, void *const *To, int Copies, std::int64_t At) {
  const auto Do = [&](auto Of) {
    sumOf<decltype(Of)>(From, Count, Begin, End, To, Copies, At);
  };
  switch (Type) {
  case DType::F16:
    return Do(Float16());
  case DType::BF16:
    return Do(BFloat16());
  case DType::F32:
    return Do(float());
  case DType::F64:
    return Do(double());
  case DType::I8:
    return Do(std::int8_t());
  case DType::U8:
    return Do(std::uint8_t());
  case DType::I32:
    return Do(std::int32_t());
  case DType::I64:
    return Do(std::int64_t());
  }
}

} // namespace spmd::local
