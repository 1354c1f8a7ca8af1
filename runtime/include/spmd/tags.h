//===- tags.h - R, I, V, P and S(i) as values -------------------*- C++ -*-===//
//
// Local types name what a tensor is on one axis and what its gradient is; see
// seed 001, "Local SPMD". Tags are values of distinct types, so that a pair
// (src, dst) is checked by the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TAGS_H
#define SPMD_TAGS_H

#include "spmd/rules/LocalType.h"

#ifdef I
#error                                                                         \
    "the macro I of <complex.h> hides spmd::I: undefine it before this header"
#endif

namespace spmd {

using rules::LocalType;

/// A tag with its class erased: what backends are given.
struct Placement {
  LocalType Type;
  /// S(i) has a dim; V has not, and stands for a list of tensors, one a rank.
  bool HasDim = false;
  int Dim = 0;

  friend constexpr bool operator==(Placement A, Placement B) {
    return A.Type == B.Type && A.HasDim == B.HasDim && A.Dim == B.Dim;
  }
  friend constexpr bool operator!=(Placement A, Placement B) {
    return !(A == B);
  }
};

/// Replicate: the same value on all ranks, the gradient partial.
struct Replicate {
  static constexpr LocalType Type = LocalType::R;
  constexpr operator Placement() const { return {Type}; }
};
/// Invariant: the same value on all ranks, and the same gradient.
struct Invariant {
  static constexpr LocalType Type = LocalType::I;
  constexpr operator Placement() const { return {Type}; }
};
/// Varying: each rank has its own value and gradient.
struct Varying {
  static constexpr LocalType Type = LocalType::V;
  constexpr operator Placement() const { return {Type}; }
};
/// Partial: a sum over the ranks is pending, the gradient replicate.
struct Partial {
  static constexpr LocalType Type = LocalType::P;
  constexpr operator Placement() const { return {Type}; }
};
/// Varying, and the ranks' values are the chunks of dim \c Dim, in rank order.
/// A negative dim counts from the last one.
struct Shard {
  static constexpr LocalType Type = LocalType::V;
  int Dim;
  constexpr operator Placement() const { return {Type, true, Dim}; }
};

inline constexpr Replicate R{};
inline constexpr Invariant I{};
inline constexpr Varying V{};
inline constexpr Partial P{};
constexpr Shard S(int Dim) { return Shard{Dim}; }

/// As last argument, unlocks the transitions that are right but almost never
/// meant in forward code: reinterpret(x, axis, R, I, spmd::expert).
struct Expert {};
inline constexpr Expert expert{};

namespace detail {
template <class T> struct IsTag {
  static constexpr bool Value = false;
};
template <> struct IsTag<Replicate> {
  static constexpr bool Value = true;
};
template <> struct IsTag<Invariant> {
  static constexpr bool Value = true;
};
template <> struct IsTag<Varying> {
  static constexpr bool Value = true;
};
template <> struct IsTag<Partial> {
  static constexpr bool Value = true;
};
template <> struct IsTag<Shard> {
  static constexpr bool Value = true;
};
} // namespace detail

} // namespace spmd

#endif // SPMD_TAGS_H
