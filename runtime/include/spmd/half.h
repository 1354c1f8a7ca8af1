//===- half.h - Sixteen-bit floats ------------------------------*- C++ -*-===//
//
// How they are stored, and conversions on the host; arithmetic is done in
// float. On a device, CUDA's own types have the same bits.
//

#ifndef SPMD_HALF_H
#define SPMD_HALF_H

#include <cstdint>
#include <cstring>

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

  operator float() const {
    return detail::asFloat(static_cast<std::uint32_t>(Bits) << 16);
  }
  /// To nearest, ties to even; a NaN stays one.
  static bfloat16 of(float F) {
    const std::uint32_t B = detail::bitsOf(F);
    if ((B & 0x7fffffffu) > 0x7f800000u)
      return {static_cast<std::uint16_t>(B >> 16 | 0x40u)};
    return {static_cast<std::uint16_t>((B + 0x7fffu + (B >> 16 & 1u)) >> 16)};
  }
};

/// IEEE 754 binary16.
struct half {
  std::uint16_t Bits;

  operator float() const {
    const std::uint32_t Sign = (Bits & 0x8000u) << 16;
    const std::uint32_t Rest = Bits & 0x7fffu;
    if (Rest >= 0x7c00u) // infinity and NaN
      return detail::asFloat(Sign | 0x7f800000u | (Rest & 0x3ffu) << 13);
    // The exponent's bias differs by 112: scaling also gets subnormals right.
    const float Magnitude =
        detail::asFloat(Rest << 13) * detail::asFloat((127 + 112) << 23);
    return detail::asFloat(Sign | detail::bitsOf(Magnitude));
  }
  /// To nearest, ties to even; what is too large becomes infinity.
  static half of(float F) {
    const std::uint32_t B = detail::bitsOf(F);
    const auto Sign = static_cast<std::uint16_t>(B >> 16 & 0x8000u);
    std::uint32_t Rest = B & 0x7fffffffu;
    if (Rest > 0x7f800000u)
      return {static_cast<std::uint16_t>(Sign | 0x7e00u)};
    if (Rest >= 0x477ff000u) // from 65520 on
      return {static_cast<std::uint16_t>(Sign | 0x7c00u)};
    if (Rest < 0x38800000u) { // subnormal: let the adder round at 2^-24
      const float Rounded = detail::asFloat(Rest) + 0.5f;
      return {static_cast<std::uint16_t>(
          Sign | (detail::bitsOf(Rounded) - detail::bitsOf(0.5f)))};
    }
    Rest += 0xfffu + (Rest >> 13 & 1u);
    return {static_cast<std::uint16_t>(Sign | (Rest - 0x38000000u) >> 13)};
  }
};

} // namespace spmd

#endif // SPMD_HALF_H
