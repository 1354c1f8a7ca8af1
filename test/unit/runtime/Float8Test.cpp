// Eight-bit floats against what their formats say.

#include <spmd/float8.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

/// What \p Bits are, by the definition.
double valueOf(int Bits, int Mantissa, int Bias) {
  const int Exponent = (Bits & 0x7f) >> Mantissa;
  const int Fraction = Bits & ((1 << Mantissa) - 1);
  const double Steps = Exponent ? (1 << Mantissa) + Fraction : Fraction;
  const double Value =
      std::ldexp(Steps, (Exponent ? Exponent : 1) - Bias - Mantissa);
  return Bits & 0x80 ? -Value : Value;
}

/// All codes from 0 to the largest number, those between, and the same below 0.
template <int Mantissa> void checkFormat(int Bias, int Largest) {
  using T = spmd::float8<Mantissa>;
  for (const int Sign : {0, 0x80})
    for (int Bits = 0; Bits <= Largest; ++Bits) {
      const T Of(static_cast<std::uint8_t>(Bits | Sign));
      const double Value = valueOf(Bits | Sign, Mantissa, Bias);
      EXPECT_EQ(Value, static_cast<float>(Of)) << Bits;
      EXPECT_EQ(Of.Bits, T(static_cast<float>(Of)).Bits) << Bits;
      if (Bits == Largest)
        break;
      // Ties go to the even one.
      const double Next = valueOf(Bits + 1 | Sign, Mantissa, Bias);
      const auto Middle = static_cast<float>((Value + Next) / 2);
      EXPECT_EQ((Bits + Bits % 2) | Sign, T(Middle).Bits) << Bits;
      EXPECT_EQ((Bits + 1) | Sign,
                T(std::nextafter(Middle, static_cast<float>(2 * Next))).Bits)
          << Bits;
    }
}

TEST(Float8, RoundsToTheNearest) {
  checkFormat<3>(7, 0x7e);
  checkFormat<2>(15, 0x7b);
}

TEST(Float8, WhatIsTooLargeIsNoNumber) {
  constexpr float Infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(448, spmd::float8_e4m3(464.0f));
  EXPECT_EQ(57344, spmd::float8_e5m2(61439.0f));
  for (const float X : {480.0f, 465.0f, 1e9f, Infinite, std::nanf("")})
    EXPECT_TRUE(std::isnan(static_cast<float>(spmd::float8_e4m3(X)))) << X;
  for (const float X : {61440.0f, 1e9f, Infinite})
    EXPECT_EQ(-Infinite, static_cast<float>(spmd::float8_e5m2(-X))) << X;
  EXPECT_TRUE(std::isnan(static_cast<float>(spmd::float8_e5m2(std::nanf("")))));
}

} // namespace
