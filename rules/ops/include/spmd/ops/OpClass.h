//===- OpClass.h - How an ordinary op combines local types ------*- C++ -*-===//
//
// The rules for ops that do not communicate (SPMD types for PyTorch, "Local
// SPMD"). A class is a small automaton that reads the operands' types from left
// to right, so one definition serves any number of operands, sets of types, and
// narrowing. C++17, standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_OPCLASS_H
#define SPMD_OPS_OPCLASS_H

#include "spmd/types/LocalType.h"

#include <cstddef>
#include <string_view>

namespace spmd::rules {

enum class OpClass : std::uint8_t {
  /// Jointly linear in all operands: add, cat, sum, view.
  Linear,
  /// Linear in each operand separately: mul, matmul, einsum.
  Multilinear,
  /// Linear in the first operand, non-linear in the others: div.
  Quotient,
  /// Any other function of the values: relu, softmax, pow.
  Nonlinear,
  /// Read, never differentiated, and only its variation matters: the index of
  /// a gather, a mask, a comparison's operands.
  Selector,
  /// The value without its gradient: detach.
  StopGradient,
  /// Depends on the shape alone: zeros_like's operand, numel.
  ShapeOnly,
  /// Non-linear with random numbers that may differ between ranks: dropout.
  Random,
  /// A question about what each rank holds, be that the value or its part of a
  /// pending sum: isfinite.
  OwnPart,
};

inline constexpr int NumOpClasses = 9;

constexpr std::string_view opClassName(OpClass C) {
  constexpr std::string_view Names[] = {
      "linear",        "multilinear", "quotient", "nonlinear", "selector",
      "stop_gradient", "shape_only",  "random",   "own_part"};
  return Names[static_cast<int>(C)];
}

namespace detail {

/// R and V mix to V; I only with I. The part that all classes share.
constexpr TypeSet mixReplicas(LocalType A, LocalType B) {
  using T = LocalType;
  if (A == T::P || B == T::P)
    return TypeSet::none();
  if (A == T::I || B == T::I)
    return A == B ? TypeSet(T::I) : TypeSet::none();
  return A == T::V || B == T::V ? T::V : T::R;
}

} // namespace detail

/// Types of a value that no gradient flows back through: R and I are the same
/// then.
constexpr TypeSet withoutGradient(TypeSet S) {
  constexpr TypeSet Replicas = LocalType::R | LocalType::I;
  return (S & Replicas).empty() ? S : S | Replicas;
}

/// The result of a class applied to its first operand alone.
constexpr TypeSet firstOperand(OpClass C, LocalType A) {
  using T = LocalType;
  switch (C) {
  case OpClass::Linear:
  case OpClass::Multilinear:
  case OpClass::Quotient:
    return A;
  case OpClass::Nonlinear:
    return A == T::P ? TypeSet::none() : TypeSet(A);
  case OpClass::Selector:
    return A == T::P ? TypeSet::none() : withoutGradient(A);
  case OpClass::StopGradient:
    return withoutGradient(A);
  case OpClass::ShapeOnly:
    // Shards may be uneven.
    return A == T::V ? T::R | T::I | T::V : T::R | T::I;
  case OpClass::Random:
    // Numbers that vary would give an I operand a gradient that varies.
    return A == T::P ? TypeSet::none() : A == T::R ? T::R | T::V : TypeSet(A);
  case OpClass::OwnPart:
    // The parts of a sum differ between ranks.
    return A == T::P ? TypeSet(T::V) : withoutGradient(A);
  }
  return TypeSet::none();
}

/// Whether the gradient of a result of the class flows on to its operands.
constexpr bool passesGradient(OpClass C) {
  return C != OpClass::Selector && C != OpClass::StopGradient &&
         C != OpClass::ShapeOnly && C != OpClass::OwnPart;
}

/// The result after one more operand \p B, given the result \p A so far.
/// Empty when the combination is illegal.
constexpr TypeSet nextOperand(OpClass C, LocalType A, LocalType B) {
  using T = LocalType;
  switch (C) {
  case OpClass::Linear:
    return A == T::P && B == T::P ? TypeSet(T::P) : detail::mixReplicas(A, B);
  case OpClass::Multilinear:
    if ((A == T::P && B == T::R) || (A == T::R && B == T::P))
      return T::P;
    return detail::mixReplicas(A, B);
  case OpClass::Quotient:
    return A == T::P && B == T::R ? TypeSet(T::P) : detail::mixReplicas(A, B);
  case OpClass::Nonlinear:
  case OpClass::Random:
    return detail::mixReplicas(A, B);
  case OpClass::Selector:
  case OpClass::StopGradient:
  case OpClass::OwnPart: {
    TypeSet Out;
    for (LocalType BT : AllLocalTypes)
      if (firstOperand(C, B).contains(BT))
        Out |= detail::mixReplicas(A, BT);
    return Out;
  }
  case OpClass::ShapeOnly:
    return A == T::V ? TypeSet(T::V) : firstOperand(C, B);
  }
  return TypeSet::none();
}

/// Sets in, set out: everything some choice of members can produce.
constexpr TypeSet firstOperand(OpClass C, TypeSet A) {
  TypeSet Out;
  for (LocalType T : AllLocalTypes)
    if (A.contains(T))
      Out |= firstOperand(C, T);
  return Out;
}
constexpr TypeSet nextOperand(OpClass C, TypeSet A, TypeSet B) {
  TypeSet Out;
  for (LocalType TA : AllLocalTypes)
    if (A.contains(TA))
      for (LocalType TB : AllLocalTypes)
        if (B.contains(TB))
          Out |= nextOperand(C, TA, TB);
  return Out;
}

static_assert(nextOperand(OpClass::Linear, LocalType::R, LocalType::V) ==
              TypeSet(LocalType::V));
static_assert(nextOperand(OpClass::Linear, LocalType::P, LocalType::R).empty());
static_assert(nextOperand(OpClass::Multilinear, LocalType::P, LocalType::R) ==
              TypeSet(LocalType::P));
static_assert(
    nextOperand(OpClass::Multilinear, LocalType::P, LocalType::V).empty());
static_assert(
    nextOperand(OpClass::Quotient, LocalType::R, LocalType::P).empty());
static_assert(
    nextOperand(OpClass::Nonlinear, LocalType::I, LocalType::R).empty());

} // namespace spmd::rules

// Whoever includes the rules has them proven.
#include "spmd/ops/OpClassProof.h"

#endif // SPMD_OPS_OPCLASS_H
