//===- TransitionProof.h - The table, at compile time ----------*- C++ -*-===//
//
// Two ranks, and values whose meaning has two elements. The operators are
// linear, so that a basis of the legal values proves a row for this size; the
// oracle does it for the others (docs/oracle.md). C++17, standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TYPES_TRANSITIONPROOF_H
#define SPMD_TYPES_TRANSITIONPROOF_H

#include "spmd/types/Transition.h"

namespace spmd::rules::proof {

/// Of the operators that have one.
inline constexpr int Root = 1;

/// What each of two ranks holds: two elements, or one and nothing.
struct Held {
  long X[2][2] = {{0, 0}, {0, 0}};
};

/// The elements on each rank. What varies is a piece of the whole for the
/// operators that gather or split, and a row or column for all_to_all.
constexpr int elements(OperatorKind Op, LocalType T) {
  const bool Piece = T == LocalType::V && (Op == OperatorKind::AllGather ||
                                           Op == OperatorKind::ReduceScatter ||
                                           Op == OperatorKind::Convert);
  return Piece ? 1 : 2;
}

constexpr Held apply(OperatorKind Op, LocalType Src, LocalType Dst, Held A) {
  Held Out;
  for (int R = 0; R != 2; ++R)
    for (int E = 0; E != 2; ++E) {
      const long Sum = A.X[0][E] + A.X[1][E];
      switch (Op) {
      case OperatorKind::AllReduce:
        Out.X[R][E] = Sum;
        break;
      case OperatorKind::AllGather:
        Out.X[R][E] = A.X[E][0];
        break;
      case OperatorKind::ReduceScatter:
        if (E == R)
          Out.X[R][0] = Sum;
        break;
      case OperatorKind::AllToAll:
        Out.X[R][E] = A.X[E][R];
        break;
      case OperatorKind::Reinterpret:
        Out.X[R][E] = A.X[R][E];
        break;
      case OperatorKind::Permute:
        Out.X[R][E] = A.X[1 - R][E];
        break;
      case OperatorKind::Broadcast:
        Out.X[R][E] = A.X[Root][E];
        break;
      case OperatorKind::Reduce:
        Out.X[R][E] = R == Root ? Sum : 0;
        break;
      case OperatorKind::Keep:
        Out.X[R][E] = R == Root ? A.X[R][E] : 0;
        break;
      case OperatorKind::AllReduceMax:
      case OperatorKind::AllReduceMin:
      case OperatorKind::Barrier:
        break; // no rows
      case OperatorKind::Convert:
        if (Src == LocalType::V) {
          if (E == R)
            Out.X[R][E] = A.X[R][0];
        } else if (Dst == LocalType::V) {
          if (E == R)
            Out.X[R][0] = A.X[R][E];
        } else if (Dst != LocalType::P || R == 0) {
          Out.X[R][E] = A.X[R][E];
        }
        break;
      }
    }
  return Out;
}

constexpr bool isLegal(LocalType T, Held A) {
  return T == LocalType::V || T == LocalType::P ||
         (A.X[0][0] == A.X[1][0] && A.X[0][1] == A.X[1][1]);
}

/// Basis vector \p K of the legal values, of which there are four; some repeat.
constexpr Held basis(LocalType T, int Elements, int K) {
  Held Out;
  const int Rank = K / 2, Element = Elements == 1 ? 0 : K % 2;
  Out.X[Rank][Element] = 1;
  if (T == LocalType::R || T == LocalType::I)
    Out.X[1 - Rank][Element] = 1;
  return Out;
}

/// Twice the pairing: all ranks hold the whole of I's gradient.
constexpr long pairing(LocalType T, Held A, Held B) {
  long Out = 0;
  for (int R = 0; R != 2; ++R)
    for (int E = 0; E != 2; ++E)
      Out += A.X[R][E] * B.X[R][E];
  return T == LocalType::I ? Out : 2 * Out;
}

/// Element \p E of what the ranks hold means; pieces together are the whole.
constexpr long meaning(OperatorKind Op, LocalType T, Held A, int E) {
  if (T == LocalType::P)
    return A.X[0][E] + A.X[1][E];
  return T == LocalType::V && elements(Op, T) == 1 ? A.X[E][0] : A.X[0][E];
}

constexpr bool isRight(const Transition &T) {
  const int From = elements(T.Op, T.Src), To = elements(T.Op, T.Dst);
  for (int K = 0; K != 4; ++K) {
    const Held A = basis(T.Src, From, K);
    const Held B = apply(T.Op, T.Src, T.Dst, A);
    if (!isLegal(T.Dst, B))
      return false;
    // all_to_all moves between two layouts of one matrix.
    for (int E = 0; E != 2; ++E)
      if (T.KeepsMeaning && T.Op != OperatorKind::AllToAll &&
          meaning(T.Op, T.Src, A, E) != meaning(T.Op, T.Dst, B, E))
        return false;
    for (int L = 0; L != 4; ++L) {
      const Held Cotangent = basis(dual(T.Dst), To, L);
      const Held Back =
          apply(T.BackwardOp, T.BackwardSrc, T.BackwardDst, Cotangent);
      if (!isLegal(dual(T.Src), Back) ||
          pairing(T.Src, Back, A) != pairing(T.Dst, Cotangent, B))
        return false;
    }
  }
  return true;
}

constexpr bool everyRowIsRight() {
  for (const Transition &T : Transitions)
    if (!isRight(T))
      return false;
  return true;
}

static_assert(everyRowIsRight(),
              "a row of the table of operators is wrong: its forward is not "
              "legal, changes the meaning, or is not undone by its backward");

// And wrong ones are seen: a backward too much, a sum that counts twice.
static_assert(!isRight({OperatorKind::AllReduce, LocalType::P, LocalType::I,
                        OperatorKind::AllReduce, LocalType::I, LocalType::R,
                        false, true}));
static_assert(!isRight({OperatorKind::Broadcast, LocalType::V, LocalType::I,
                        OperatorKind::Reinterpret, LocalType::I, LocalType::V,
                        false, false}));
static_assert(!isRight({OperatorKind::Reinterpret, LocalType::R, LocalType::P,
                        OperatorKind::Reinterpret, LocalType::R, LocalType::P,
                        false, true}));

} // namespace spmd::rules::proof

#endif // SPMD_TYPES_TRANSITIONPROOF_H
