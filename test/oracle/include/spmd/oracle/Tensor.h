//===- Tensor.h - Small dense tensors of integers ---------------*- C++ -*-===//
//
// What the oracle computes with: the integers modulo a prime, by their
// representatives nearest to zero. Small values are themselves, so an equation
// between them is exact; long programs stay in a field, where no product of
// non-zero numbers vanishes by accident.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_TENSOR_H
#define SPMD_ORACLE_TENSOR_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spmd::oracle {

using Number = std::int64_t;
using Shape = std::vector<int>;

inline constexpr Number Prime = (Number(1) << 61) - 1;

constexpr Number nearestToZero(__int128 X) {
  const auto Rest = static_cast<Number>(X % Prime);
  return Rest > Prime / 2      ? Rest - Prime
         : Rest < -(Prime / 2) ? Rest + Prime
                               : Rest;
}
constexpr Number plus(Number A, Number B) { return nearestToZero(A + B); }
constexpr Number times(Number A, Number B) {
  return nearestToZero(static_cast<__int128>(A) * B);
}
/// One over \p A, which is not zero.
Number inverse(Number A);

std::size_t sizeOf(const Shape &S);

struct Tensor {
  Shape Dims;
  std::vector<Number> Data; ///< row-major

  static Tensor zeros(Shape Dims);
  friend bool operator==(const Tensor &, const Tensor &) = default;
};

Tensor operator+(const Tensor &A, const Tensor &B);
Tensor operator*(Number A, Tensor T);
/// The sum of products of corresponding elements.
Number dot(const Tensor &A, const Tensor &B);

/// Elements [Begin, Begin + Length) along \p Dim.
Tensor slice(const Tensor &T, int Dim, int Begin, int Length);
/// One after the other along \p Dim; their other dims agree.
Tensor concat(const std::vector<Tensor> &Parts, int Dim);
/// Repeated in every dim until it has the shape \p Dims, of the same rank.
Tensor repeat(const Tensor &T, const Shape &Dims);
/// The transpose of repeat: what falls on one element is summed.
Tensor fold(const Tensor &T, const Shape &Dims);
/// A new leading dim.
Tensor stack(const std::vector<Tensor> &Parts);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_TENSOR_H
