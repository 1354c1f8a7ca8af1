//===- shape.h - The extents of a tensor ------------------------*- C++ -*-===//

#ifndef SPMD_SHAPE_H
#define SPMD_SHAPE_H

#include "spmd/error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace spmd {

/// Extents, outermost first. Kept in place, so that no call allocates; more
/// than MaxRank dims are an Error.
class Shape {
public:
  static constexpr std::size_t MaxRank = 12;
  /// An extent that ranks need not have alike; "_" in messages.
  static constexpr std::int64_t Unknown = -1;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> Of) : Shape(Of.begin(), Of.end()) {}
  Shape(const std::vector<std::int64_t> &Of) : Shape(Of.begin(), Of.end()) {}
  template <class It> Shape(It First, It Last) {
    for (; First != Last; ++First)
      insert(Count, static_cast<std::int64_t>(*First));
  }

  std::size_t size() const { return Count; }
  bool empty() const { return Count == 0; }
  const std::int64_t *data() const { return Extents.data(); }
  const std::int64_t *begin() const { return Extents.data(); }
  const std::int64_t *end() const { return Extents.data() + Count; }
  std::int64_t operator[](std::size_t Dim) const { return Extents[Dim]; }
  std::int64_t &operator[](std::size_t Dim) { return Extents[Dim]; }

  void insert(std::size_t At, std::int64_t Extent) {
    if (Count == MaxRank)
      detail::fail("spmd::Shape: more than " + std::to_string(MaxRank) +
                   " dims");
    std::copy_backward(Extents.begin() + At, Extents.begin() + Count,
                       Extents.begin() + Count + 1);
    Extents[At] = Extent;
    ++Count;
  }
  void erase(std::size_t At) {
    std::copy(Extents.begin() + At + 1, Extents.begin() + Count,
              Extents.begin() + At);
    --Count;
  }

  /// Number of elements of the dims [First, Last).
  std::int64_t numel(std::size_t First, std::size_t Last) const {
    std::int64_t N = 1;
    for (std::size_t D = First; D < Last; ++D)
      N *= Extents[D];
    return N;
  }
  std::int64_t numel() const { return numel(0, Count); }

  friend bool operator==(const Shape &A, const Shape &B) {
    return std::equal(A.begin(), A.end(), B.begin(), B.end());
  }
  friend bool operator!=(const Shape &A, const Shape &B) { return !(A == B); }

  /// "[8, 16]", for messages.
  std::string str() const {
    std::string Text = "[";
    for (std::size_t D = 0; D < Count; ++D)
      Text += (D ? ", " : "") +
              (Extents[D] == Unknown ? "_" : std::to_string(Extents[D]));
    return Text + "]";
  }

private:
  std::size_t Count = 0;
  std::array<std::int64_t, MaxRank> Extents{};
};

} // namespace spmd

#endif // SPMD_SHAPE_H
