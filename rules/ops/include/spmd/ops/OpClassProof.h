//===- OpClassProof.h - The classes of ops, at compile time -----*- C++ -*-===//
//
// A function of each class on two ranks, with one operand and with two: what
// the rules accept is right on all of a few values, forward and backward, and
// what they reject is wrong on some. The oracle does it for more operands,
// ranks and functions (docs/oracle.md). C++17, standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_OPS_OPCLASSPROOF_H
#define SPMD_OPS_OPCLASSPROOF_H

#include "spmd/ops/OpClass.h"

namespace spmd::rules::proof {

/// A number on each of two ranks.
struct Ranked {
  long X[2] = {0, 0};
};

/// A function of the class, integers for integers: the quotient multiplies by
/// what is as non-linear as one over the divisor. Without a second operand, B
/// is the number that drops it.
constexpr long value(OpClass C, long A, long B, bool HasB) {
  switch (C) {
  case OpClass::Linear:
    return A + (HasB ? 2 * B : 0);
  case OpClass::Multilinear:
    return HasB ? A * B : A;
  case OpClass::Quotient:
    return HasB ? A * (1 + B * B) : A;
  case OpClass::Nonlinear:
    return A * A + (HasB ? A * B + B * B : 0);
  case OpClass::Selector:
    return (A > 0) + (HasB && B > 0);
  default: // StopGradient; the others are no functions of the values
    return A;
  }
}

/// Its derivative by the first operand, or by the second.
constexpr long slope(OpClass C, long A, long B, bool HasB, bool ByB) {
  switch (C) {
  case OpClass::Linear:
    return ByB ? 2 : 1;
  case OpClass::Multilinear:
    return ByB ? A : HasB ? B : 1;
  case OpClass::Quotient:
    return ByB ? 2 * A * B : HasB ? 1 + B * B : 1;
  case OpClass::Nonlinear:
    return ByB ? A + 2 * B : 2 * A + (HasB ? B : 0);
  default:
    return 0;
  }
}

constexpr bool isShared(LocalType T) {
  return T == LocalType::R || T == LocalType::I;
}
/// The \p K-th legal value of type \p T.
constexpr Ranked legal(LocalType T, int K) {
  constexpr long Numbers[] = {1, 1, 2, -1, 3, 2, -2};
  const long First = Numbers[K % 7];
  return {{First, isShared(T) ? First : Numbers[(3 * K + 1) % 7]}};
}
constexpr bool isLegal(LocalType T, Ranked A) {
  return !isShared(T) || A.X[0] == A.X[1];
}
/// To rank \p R: its own value of what varies, the common one, or the sum.
constexpr long meaning(LocalType T, Ranked A, int R) {
  return T == LocalType::P ? A.X[0] + A.X[1] : A.X[R];
}
/// Twice the pairing: all ranks hold the whole of I's gradient.
constexpr long pairing(LocalType T, Ranked A, Ranked B) {
  const long Out = A.X[0] * B.X[0] + A.X[1] * B.X[1];
  return T == LocalType::I ? Out : 2 * Out;
}

/// One judgement, "an op of class C takes operands of types TA and TB to a
/// result of type T", on the K-th values.
constexpr bool isRight(OpClass C, LocalType TA, LocalType TB, bool HasB,
                       LocalType T, int K) {
  const Ranked A = legal(TA, K), B = legal(TB, K + 2);
  const Ranked Cotangent = legal(dual(T), K + 4);
  const bool Varies = TA == LocalType::V || (HasB && TB == LocalType::V);
  if (Varies != (T == LocalType::V))
    return false;
  Ranked Out;
  for (int R = 0; R != 2; ++R)
    Out.X[R] = value(C, A.X[R], B.X[R], HasB);
  if (!isLegal(T, Out))
    return false;
  for (int R = 0; R != 2; ++R)
    if (meaning(T, Out, R) !=
        value(C, meaning(TA, A, R), meaning(TB, B, R), HasB))
      return false;
  for (int ByB = 0; ByB != (HasB ? 2 : 1); ++ByB) {
    const LocalType Of = ByB ? TB : TA;
    const Ranked Tangent = legal(Of, K + 1);
    Ranked Gradient, Image;
    for (int R = 0; R != 2; ++R) {
      const long Slope = slope(C, A.X[R], B.X[R], HasB, ByB);
      Gradient.X[R] = Slope * Cotangent.X[R];
      Image.X[R] = Slope * Tangent.X[R];
    }
    if (!isLegal(dual(Of), Gradient) ||
        pairing(Of, Gradient, Tangent) != pairing(T, Cotangent, Image))
      return false;
  }
  return true;
}

constexpr bool isRight(OpClass C, LocalType TA, LocalType TB, bool HasB,
                       LocalType T) {
  for (int K = 0; K != 7; ++K)
    if (!isRight(C, TA, TB, HasB, T, K))
      return false;
  return true;
}

/// The rules and the numbers agree on every tuple of types.
constexpr bool isProven(OpClass C) {
  for (LocalType TA : AllLocalTypes)
    for (LocalType T : AllLocalTypes) {
      const TypeSet One = firstOperand(C, TypeSet(TA));
      if (One.contains(T) != isRight(C, TA, TA, false, T))
        return false;
      if (C == OpClass::StopGradient)
        continue; // of one operand
      for (LocalType TB : AllLocalTypes)
        if (nextOperand(C, One, TypeSet(TB)).contains(T) !=
            isRight(C, TA, TB, true, T))
          return false;
    }
  return true;
}

/// The same of an op whose result is only looked at, so that R and I are one:
/// some function comes after it, and no gradient back.
constexpr long lookedAt(long X) { return X * X; }
constexpr bool isRightLookedAt(OpClass C, LocalType TA, LocalType TB, bool HasB,
                               LocalType T) {
  const bool Varies = TA == LocalType::V || (HasB && TB == LocalType::V);
  if (Varies != (T == LocalType::V))
    return false;
  for (int K = 0; K != 7; ++K) {
    const Ranked A = legal(TA, K), B = legal(TB, K + 2);
    Ranked Out;
    for (int R = 0; R != 2; ++R)
      Out.X[R] = lookedAt(value(C, A.X[R], B.X[R], HasB));
    if (!isLegal(T, Out))
      return false;
    for (int R = 0; R != 2; ++R)
      if (meaning(T, Out, R) !=
          lookedAt(value(C, meaning(TA, A, R), meaning(TB, B, R), HasB)))
        return false;
  } // the gradients are zero, and zero is legal for every type
  return true;
}

constexpr bool isProvenLookedAt(OpClass C) {
  const auto Accepts = [](TypeSet Made, LocalType T) {
    return firstOperand(OpClass::Selector, Made).contains(T);
  };
  for (LocalType TA : AllLocalTypes)
    for (LocalType T : AllLocalTypes) {
      const TypeSet One = firstOperand(C, withoutGradient(TA));
      if (Accepts(One, T) != isRightLookedAt(C, TA, TA, false, T))
        return false;
      for (LocalType TB : AllLocalTypes)
        if (Accepts(nextOperand(C, One, withoutGradient(TB)), T) !=
            isRightLookedAt(C, TA, TB, true, T))
          return false;
    }
  return true;
}

static_assert(isProven(OpClass::Linear));
static_assert(isProven(OpClass::Multilinear));
static_assert(isProven(OpClass::Quotient));
static_assert(isProven(OpClass::Nonlinear));
static_assert(isProven(OpClass::Selector));
static_assert(isProven(OpClass::StopGradient));

static_assert(isProvenLookedAt(OpClass::Linear));
static_assert(isProvenLookedAt(OpClass::Multilinear));
static_assert(isProvenLookedAt(OpClass::Quotient));
static_assert(isProvenLookedAt(OpClass::Nonlinear));

// And a wrong rule is seen.
static_assert(!isRight(OpClass::Multilinear, LocalType::P, LocalType::P, true,
                       LocalType::P));
static_assert(!isRight(OpClass::Linear, LocalType::I, LocalType::R, true,
                       LocalType::I));

} // namespace spmd::rules::proof

#endif // SPMD_OPS_OPCLASSPROOF_H
