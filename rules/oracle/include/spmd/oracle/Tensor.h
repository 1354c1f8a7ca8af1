//===- Tensor.h - Small dense tensors of integers ---------------*- C++ -*-===//
//
// What the oracle computes with. Integers are exact, so an equation that holds
// on them is no accident of rounding; sums and products that leave 64 bits wrap
// around, and in the ring of integers modulo 2^64 the same equations hold.
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

constexpr Number plus(Number A, Number B) {
  return static_cast<Number>(static_cast<std::uint64_t>(A) +
                             static_cast<std::uint64_t>(B));
}
constexpr Number times(Number A, Number B) {
  return static_cast<Number>(static_cast<std::uint64_t>(A) *
                             static_cast<std::uint64_t>(B));
}

std::size_t sizeOf(const Shape &S);

struct Tensor {
  Shape Dims;
  std::vector<Number> Data; ///< row-major

  static Tensor zeros(Shape Dims);
  friend bool operator==(const Tensor &, const Tensor &) = default;
};

Tensor operator+(const Tensor &A, const Tensor &B);
/// The sum of products of corresponding elements.
Number dot(const Tensor &A, const Tensor &B);

/// Elements [Begin, Begin + Length) along \p Dim.
Tensor slice(const Tensor &T, int Dim, int Begin, int Length);
/// One after the other along \p Dim; their other dims agree.
Tensor concat(const std::vector<Tensor> &Parts, int Dim);
/// A new leading dim.
Tensor stack(const std::vector<Tensor> &Parts);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_TENSOR_H
