//===- half.h - Sixteen-bit floats ------------------------------*- C++ -*-===//
//
// How they are stored, and conversions on the host; arithmetic is done in
// float. On a device, CUDA's own types have the same bits.
//

#ifndef SPMD_HALF_H
#define SPMD_HALF_H

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace spmd {

namespace detail {
inline float asFloat(std::uint32_t Bits) {
  float F;
  std::memcpy(&F, &Bits, sizeof F);
  return F;
}
inline std::uint32_t bitsOf(float F) {
  std::uint32_t Bits;
  std::memcpy(&Bits, &F, sizeof F);
  return Bits;
}
} // namespace detail

/// The upper half of a float.
struct bfloat16 {
  std::uint16_t Bits;

  bfloat16() = default;
  /// Of its bits, or of a float or double: in other numbers nobody sees which.
  template <class T,
            class = std::enable_if_t<std::is_same<T, std::uint16_t>::value>>
  constexpr bfloat16(T Bits) : Bits(Bits) {}
  template <class T, class = std::enable_if_t<std::is_floating_point<T>::value>,
            class = void>
  explicit bfloat16(T Value) : Bits(of(static_cast<float>(Value)).Bits) {}

  operator float() const {
    return detail::asFloat(static_cast<std::uint32_t>(Bits) << 16);
  }
  /// To nearest, ties to even; a NaN stays one.
  static bfloat16 of(float F) {
    const std::uint32_t B = detail::bitsOf(F);
    const std::uint32_t Rounded = (B + 0x7fffu + (B >> 16 & 1u)) >> 16;
    const bool IsNaN = (B & 0x7fffffffu) > 0x7f800000u;
    return {static_cast<std::uint16_t>(IsNaN ? B >> 16 | 0x40u : Rounded)};
  }
};

/// IEEE 754 binary16.
struct half {
  std::uint16_t Bits;

  half() = default;
  /// Of its bits, or of a float or double: in other numbers nobody sees which.
  template <class T,
            class = std::enable_if_t<std::is_same<T, std::uint16_t>::value>>
  constexpr half(T Bits) : Bits(Bits) {}
  template <class T, class = std::enable_if_t<std::is_floating_point<T>::value>,
            class = void>
  explicit half(T Value) : Bits(of(static_cast<float>(Value)).Bits) {}

  // All cases are computed and one is chosen, so that loops vectorise.
  operator float() const {
    const std::uint32_t Sign = (Bits & 0x8000u) << 16;
    const std::uint32_t Rest = Bits & 0x7fffu;
    // The exponent's bias differs by 112: scaling also gets subnormals right.
    const float Magnitude =
        detail::asFloat(Rest << 13) * detail::asFloat((127 + 112) << 23);
    const std::uint32_t NotFinite = 0x7f800000u | (Rest & 0x3ffu) << 13;
    return detail::asFloat(
        Sign | (Rest >= 0x7c00u ? NotFinite : detail::bitsOf(Magnitude)));
  }
  /// To nearest, ties to even; what is too large becomes infinity.
  static half of(float F) {
    const std::uint32_t B = detail::bitsOf(F);
    const std::uint32_t Sign = B >> 16 & 0x8000u;
    const std::uint32_t Rest = B & 0x7fffffffu;
    const std::uint32_t Normal =
        (Rest + 0xfffu + (Rest >> 13 & 1u) - 0x38000000u) >> 13;
    // Subnormal: let the adder round at 2^-24.
    const std::uint32_t Subnormal =
        detail::bitsOf(detail::asFloat(Rest) + 0.5f) - detail::bitsOf(0.5f);
    std::uint32_t Half = Rest < 0x38800000u ? Subnormal : Normal;
    Half = Rest >= 0x477ff000u ? 0x7c00u : Half; // from 65520 on
    Half = Rest > 0x7f800000u ? 0x7e00u : Half;
    return {static_cast<std::uint16_t>(Sign | Half)};
  }
};

} // namespace spmd

#endif // SPMD_HALF_H
