//===- tags.h - R, I, V, P and S(i) as values -------------------*- C++ -*-===//
//
// Local types name what a tensor is on one axis and what its gradient is; see
// SPMD types for PyTorch, "Local SPMD". Tags are values of distinct types, so
// that a pair (src, dst) is checked by the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TAGS_H
#define SPMD_TAGS_H

#include "spmd/types/LocalType.h"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef I
#error                                                                         \
    "the macro I of <complex.h> hides spmd::I: undefine it before this header"
#endif

namespace spmd {

using rules::LocalType;

/// Elements of a dim that each rank has, in rank order.
using ChunkSizes = std::vector<std::int64_t>;

/// A tag with its class erased: what communicators are given.
struct Placement {
  LocalType Type;
  /// S(i) has a dim; V has not, and stands for a list of tensors, one a rank.
  bool HasDim = false;
  int Dim = 0;
  /// Of an uneven S(i, sizes); null where all chunks are as large.
  std::shared_ptr<const ChunkSizes> Sizes = nullptr;

  friend bool operator==(const Placement &A, const Placement &B) {
    return A.Type == B.Type && A.HasDim == B.HasDim && A.Dim == B.Dim &&
           (A.Sizes == B.Sizes || (A.Sizes && B.Sizes && *A.Sizes == *B.Sizes));
  }
  friend bool operator!=(const Placement &A, const Placement &B) {
    return !(A == B);
  }
};

/// Replicate: the same value on all ranks, the gradient partial.
struct Replicate {
  static constexpr LocalType Type = LocalType::R;
  operator Placement() const { return {Type}; }
};
/// Invariant: the same value on all ranks, and the same gradient.
struct Invariant {
  static constexpr LocalType Type = LocalType::I;
  operator Placement() const { return {Type}; }
};
/// Varying: each rank has its own value and gradient.
struct Varying {
  static constexpr LocalType Type = LocalType::V;
  operator Placement() const { return {Type}; }
};
/// Partial: a sum over the ranks is pending, the gradient replicate.
struct Partial {
  static constexpr LocalType Type = LocalType::P;
  operator Placement() const { return {Type}; }
};
/// Varying, and the ranks' values are the chunks of dim \c Dim, in rank order.
/// A negative dim counts from the last one.
struct Shard {
  static constexpr LocalType Type = LocalType::V;
  int Dim;
  operator Placement() const { return {Type, true, Dim}; }
};

/// Shard, with chunks of the given sizes.
struct UnevenShard {
  static constexpr LocalType Type = LocalType::V;
  int Dim;
  std::shared_ptr<const ChunkSizes> Sizes;
  operator Placement() const { return {Type, true, Dim, Sizes}; }
};

inline constexpr Replicate R{};
inline constexpr Invariant I{};
inline constexpr Varying V{};
inline constexpr Partial P{};
constexpr Shard S(int Dim) { return Shard{Dim}; }
/// S(0, {3, 3, 1}): dim 0 in chunks of 3, 3 and 1 on three ranks. The same on
/// all ranks; a tag made once and kept spares the allocation.
inline UnevenShard S(int Dim, ChunkSizes Sizes) {
  return {Dim, std::make_shared<const ChunkSizes>(std::move(Sizes))};
}

/// As last argument, unlocks the transitions that are right but almost never
/// meant in forward code: reinterpret(x, axis, R, I, spmd::expert).
struct Expert {};
inline constexpr Expert expert{};

namespace detail {
template <class T, class... Of> struct IsOneOf {
  static constexpr bool Value = (std::is_same<T, Of>::value || ...);
};
template <class T> using IsShard = IsOneOf<T, Shard, UnevenShard>;
template <class T>
using IsTag =
    IsOneOf<T, Replicate, Invariant, Varying, Partial, Shard, UnevenShard>;
} // namespace detail

} // namespace spmd

#endif // SPMD_TAGS_H
