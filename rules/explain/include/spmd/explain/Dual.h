//===- Dual.h - Exact numbers that carry a derivative -----------*- C++ -*-===//
//
// Ops that divide need rationals; what an op does to a tangent comes with the
// value, so that no kernel states its own derivative.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_EXPLAIN_DUAL_H
#define SPMD_EXPLAIN_DUAL_H

#include <cassert>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace spmd::explain {

class Rational {
public:
  constexpr Rational(std::int64_t N = 0) : Num(N) {}

  friend Rational operator+(Rational A, Rational B) {
    return reduced(wide(A.Num) * B.Den + wide(B.Num) * A.Den,
                   wide(A.Den) * B.Den);
  }
  friend Rational operator-(Rational A, Rational B) {
    return A + Rational(-1) * B;
  }
  friend Rational operator*(Rational A, Rational B) {
    return reduced(wide(A.Num) * B.Num, wide(A.Den) * B.Den);
  }
  /// What is divided by zero is zero: any total function will do, and this one
  /// keeps linear ops linear.
  friend Rational operator/(Rational A, Rational B) {
    if (B.Num == 0)
      return 0;
    const int Sign = B.Num < 0 ? -1 : 1;
    return reduced(wide(A.Num) * B.Den * Sign, wide(A.Den) * B.Num * Sign);
  }
  friend bool operator==(Rational, Rational) = default;
  friend bool operator<(Rational A, Rational B) {
    return wide(A.Num) * B.Den < wide(B.Num) * A.Den;
  }

  std::int64_t floor() const {
    return Num >= 0 ? Num / Den : -((-Num + Den - 1) / Den);
  }
  std::string str() const {
    return std::to_string(Num) + (Den == 1 ? "" : "/" + std::to_string(Den));
  }

private:
  using Wide = __int128;
  static Wide wide(std::int64_t N) { return N; }
  static Rational reduced(Wide N, Wide D) {
    // Nearly all are whole numbers, and dividing so wide ones takes long.
    for (Wide A = N < 0 ? -N : N, B = D == 1 ? 0 : D; B != 0;) {
      const Wide Rest = A % B;
      A = B;
      B = Rest;
      if (B == 0) {
        N /= A;
        D /= A;
      }
    }
    Rational Out(static_cast<std::int64_t>(N));
    Out.Den = static_cast<std::int64_t>(D);
    assert(Out.Num == N && Out.Den == D && "kernels compute on small numbers");
    return Out;
  }

  std::int64_t Num, Den = 1;
};

/// A value and its derivative along one direction.
struct Dual {
  Rational Value, Slope;

  constexpr Dual(Rational Value = 0, Rational Slope = 0)
      : Value(Value), Slope(Slope) {}
  constexpr Dual(int Value) : Value(Value) {}

  friend Dual operator+(const Dual &A, const Dual &B) {
    return {A.Value + B.Value, A.Slope + B.Slope};
  }
  friend Dual operator-(const Dual &A, const Dual &B) {
    return {A.Value - B.Value, A.Slope - B.Slope};
  }
  friend Dual operator*(const Dual &A, const Dual &B) {
    return {A.Value * B.Value, A.Slope * B.Value + A.Value * B.Slope};
  }
  friend Dual operator/(const Dual &A, const Dual &B) {
    const Rational Value = A.Value / B.Value;
    return {Value, (A.Slope - Value * B.Slope) / B.Value};
  }
};

/// What one rank holds of one tensor, without its shape.
using Values = std::vector<Dual>;

} // namespace spmd::explain

#endif // SPMD_EXPLAIN_DUAL_H
