//===- Half.h - Sixteen-bit floats on the host ------------------*- C++ -*-===//

#ifndef SPMD_LIB_HALF_H
#define SPMD_LIB_HALF_H

#include <cstdint>
#include <cstring>

namespace spmd {

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

/// The upper half of a float.
struct BFloat16 {
  std::uint16_t Bits;

  operator float() const {
    return asFloat(static_cast<std::uint32_t>(Bits) << 16);
  }
  /// To nearest, ties to even; a NaN stays one.
  static BFloat16 of(float F) {
    const std::uint32_t B = bitsOf(F);
    if ((B & 0x7fffffffu) > 0x7f800000u)
      return {static_cast<std::uint16_t>(B >> 16 | 0x40u)};
    return {static_cast<std::uint16_t>((B + 0x7fffu + (B >> 16 & 1u)) >> 16)};
  }
};

/// IEEE 754 binary16.
struct Float16 {
  std::uint16_t Bits;

  operator float() const {
    const std::uint32_t Sign = (Bits & 0x8000u) << 16;
    const std::uint32_t Rest = Bits & 0x7fffu;
    if (Rest >= 0x7c00u) // infinity and NaN
      return asFloat(Sign | 0x7f800000u | (Rest & 0x3ffu) << 13);
    // The exponent's bias differs by 112: scaling also gets subnormals right.
    const float Magnitude = asFloat(Rest << 13) * asFloat((127 + 112) << 23);
    return asFloat(Sign | bitsOf(Magnitude));
  }
  /// To nearest, ties to even; what is too large becomes infinity.
  static Float16 of(float F) {
    const std::uint32_t B = bitsOf(F);
    const auto Sign = static_cast<std::uint16_t>(B >> 16 & 0x8000u);
    std::uint32_t Rest = B & 0x7fffffffu;
    if (Rest > 0x7f800000u)
      return {static_cast<std::uint16_t>(Sign | 0x7e00u)};
    if (Rest >= 0x477ff000u) // from 65520 on
      return {static_cast<std::uint16_t>(Sign | 0x7c00u)};
    if (Rest < 0x38800000u) { // subnormal: let the adder round at 2^-24
      const float Rounded = asFloat(Rest) + 0.5f;
      return {
          static_cast<std::uint16_t>(Sign | (bitsOf(Rounded) - bitsOf(0.5f)))};
    }
    Rest += 0xfffu + (Rest >> 13 & 1u);
    return {static_cast<std::uint16_t>(Sign | (Rest - 0x38000000u) >> 13)};
  }
};

} // namespace spmd

#endif // SPMD_LIB_HALF_H
