//===- float8.h - Eight-bit floats ------------------------------*- C++ -*-===//
//
// The two formats of the Open Compute Project, as they are stored, and
// conversions on the host; arithmetic is done in float. On a device, CUDA's
// own types have the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_FLOAT8_H
#define SPMD_FLOAT8_H

#include "spmd/half.h"

namespace spmd {

/// Of 3 bits of mantissa, up to 448 and without infinities, or of 2, up to
/// 57344.
template <int Mantissa> struct float8 {
  static_assert(Mantissa == 2 || Mantissa == 3, "spmd: e5m2 or e4m3");
  std::uint8_t Bits;

  float8() = default;
  /// Of its bits, or of a float or double: in other numbers nobody sees which.
  template <class T,
            class = std::enable_if_t<std::is_same<T, std::uint8_t>::value>>
  constexpr float8(T Bits) : Bits(Bits) {}
  template <class T, class = std::enable_if_t<std::is_floating_point<T>::value>,
            class = void>
  explicit float8(T Value) : Bits(of(static_cast<float>(Value)).Bits) {}

  // As of half: all cases are computed and one is chosen.
  operator float() const {
    const std::uint32_t Sign = (Bits & 0x80u) << 24, Rest = Bits & 0x7fu;
    const float Magnitude =
        detail::asFloat(Rest << Drop) * detail::asFloat((127u + Lower) << 23);
    const std::uint32_t NotFinite =
        0x7f800000u | (Rest & ((1u << Mantissa) - 1)) << Drop;
    return detail::asFloat(
        Sign | (Rest >= Infinity ? NotFinite : detail::bitsOf(Magnitude)));
  }
  /// To nearest, ties to even; what is too large becomes infinity, or NaN
  /// where there is none.
  static float8 of(float F) {
    const std::uint32_t B = detail::bitsOf(F);
    const std::uint32_t Rest = B & 0x7fffffffu;
    const std::uint32_t Normal = (Rest + ((1u << (Drop - 1)) - 1) +
                                  (Rest >> Drop & 1u) - (Lower << 23)) >>
                                 Drop;
    // Subnormal: let the adder round at the least step.
    const float Step = detail::asFloat((127u + 1 + Drop - Bias) << 23);
    const std::uint32_t Subnormal =
        detail::bitsOf(detail::asFloat(Rest) + Step) - detail::bitsOf(Step);
    std::uint32_t Out = Rest < (Lower + 1) << 23 ? Subnormal : Normal;
    Out = Out >= Infinity ? Infinity : Out;
    Out = Rest > 0x7f800000u ? 0x7fu : Out;
    return {static_cast<std::uint8_t>((B >> 24 & 0x80u) | Out)};
  }

private:
  static constexpr std::uint32_t Bias = Mantissa == 3 ? 7 : 15;
  /// Bits of a float's mantissa that go; by how much its bias is larger.
  static constexpr std::uint32_t Drop = 23 - Mantissa, Lower = 127 - Bias;
  /// From here on it is no number: of e4m3 the last one alone, a NaN.
  static constexpr std::uint32_t Infinity = Mantissa == 3 ? 0x7f : 0x7c;
};

using float8_e4m3 = float8<3>;
using float8_e5m2 = float8<2>;

} // namespace spmd

#endif // SPMD_FLOAT8_H
