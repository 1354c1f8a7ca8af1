//===- Transition.h - Operators between local types -------------*- C++ -*-===//
//
// The tables "Comms by state transition" and "Comms by forwards-backwards" of
// SPMD types for PyTorch as one constexpr table: checker, repairs, runtime
// dispatch and docs all read this one. C++17, standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TYPES_TRANSITION_H
#define SPMD_TYPES_TRANSITION_H

#include "spmd/types/LocalType.h"

#include <cstddef>
#include <string_view>

namespace spmd::rules {

enum class OperatorKind : std::uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Reinterpret,
  Convert,
  Permute,
  Broadcast,
  Reduce,
  Keep,
  AllReduceMax,
  AllReduceMin,
  /// The ranks wait for each other. Without an operand it has no types.
  Barrier,
};

/// Those that have types.
inline constexpr int NumOperatorKinds = 12;

constexpr std::string_view operatorName(OperatorKind K) {
  constexpr std::string_view Names[] = {
      "all_reduce",  "all_gather", "reduce_scatter", "all_to_all",
      "reinterpret", "convert",    "permute",        "broadcast",
      "reduce",      "keep",       "all_reduce_max", "all_reduce_min",
      "barrier"};
  return Names[static_cast<int>(K)];
}

constexpr bool communicates(OperatorKind K) {
  return K != OperatorKind::Reinterpret && K != OperatorKind::Convert &&
         K != OperatorKind::Keep;
}

/// Told a rank that is unlike the others.
constexpr bool hasRoot(OperatorKind K) {
  return K == OperatorKind::Broadcast || K == OperatorKind::Reduce ||
         K == OperatorKind::Keep;
}

/// One operator at one pair of types, with the operator that is its backward.
struct Transition {
  OperatorKind Op;
  LocalType Src;
  LocalType Dst;
  OperatorKind BackwardOp;
  LocalType BackwardSrc;
  LocalType BackwardDst;
  /// Right, but almost never meant in forward code: needs `spmd::expert`.
  bool ExpertOnly;
  /// The denotation of the result is that of the operand.
  bool KeepsMeaning;
};

inline constexpr Transition Transitions[] = {
#define SPMD_ROW(OP, S, D, BOP, BS, BD, EXPERT, KEEPS)                         \
  {OperatorKind::OP, LocalType::S,  LocalType::D, OperatorKind::BOP,           \
   LocalType::BS,    LocalType::BD, EXPERT,       KEEPS}
    SPMD_ROW(Reinterpret, R, I, Convert, I, P, true, true),
    SPMD_ROW(Reinterpret, R, V, Reinterpret, V, P, true, false),
    SPMD_ROW(Convert, R, V, Convert, V, P, false, true),
    SPMD_ROW(Reinterpret, R, P, Reinterpret, R, P, true, false),
    SPMD_ROW(Convert, R, P, Convert, R, P, false, true),
    SPMD_ROW(Reinterpret, I, R, AllReduce, P, I, false, true),
    // reinterpret(I,V) is reinterpret(I,R) then reinterpret(R,V): its backward
    // sums the varying gradients, which is all_reduce from V.
    SPMD_ROW(Reinterpret, I, V, AllReduce, V, I, false, false),
    SPMD_ROW(Convert, I, V, AllGather, V, I, false, true),
    SPMD_ROW(Convert, I, P, Reinterpret, R, I, true, true),
    SPMD_ROW(AllGather, V, R, ReduceScatter, P, V, false, true),
    SPMD_ROW(AllGather, V, I, Convert, I, V, false, true),
    SPMD_ROW(AllToAll, V, V, AllToAll, V, V, false, true),
    SPMD_ROW(Reinterpret, V, P, Reinterpret, R, V, false, false),
    SPMD_ROW(Convert, V, P, Convert, R, V, true, true),
    SPMD_ROW(AllReduce, P, R, AllReduce, P, R, false, true),
    SPMD_ROW(AllReduce, P, I, Reinterpret, I, R, false, true),
    SPMD_ROW(ReduceScatter, P, V, AllGather, V, R, false, true),
    // What each rank has goes to another one: backward the other way.
    SPMD_ROW(Permute, V, V, Permute, V, V, false, false),
    // Only the root's value counts, so that the gradient is the root's, and
    // that of all others is zero.
    SPMD_ROW(Broadcast, V, R, Reduce, P, V, false, false),
    SPMD_ROW(Broadcast, V, I, Keep, I, V, false, false),
    // The root gets the sum, all others zeros: V, for it is not the same.
    SPMD_ROW(Reduce, P, V, Broadcast, V, R, false, false),
    SPMD_ROW(Keep, I, V, Broadcast, V, I, false, false),
#undef SPMD_ROW
};

inline constexpr std::size_t NumTransitions =
    sizeof(Transitions) / sizeof(Transitions[0]);

/// Operators that pick among the ranks' values: not linear, so that they have
/// no row, and no gradient either. A pending sum has no greatest part.
struct Selection {
  OperatorKind Op;
  LocalType Src;
  LocalType Dst;
};
inline constexpr Selection Selections[] = {
    {OperatorKind::AllReduceMax, LocalType::V, LocalType::R},
    {OperatorKind::AllReduceMax, LocalType::V, LocalType::I},
    {OperatorKind::AllReduceMin, LocalType::V, LocalType::R},
    {OperatorKind::AllReduceMin, LocalType::V, LocalType::I},
};
constexpr bool isSelection(OperatorKind Op) {
  return Op == OperatorKind::AllReduceMax || Op == OperatorKind::AllReduceMin;
}

/// Newer spellings of the reference: convert(I,R) and convert(R,I) are the
/// reinterprets of the seed (local value and meaning are both unchanged).
constexpr OperatorKind canonicalOperator(OperatorKind Op, LocalType Src,
                                         LocalType Dst) {
  const bool BetweenReplicas = (Src == LocalType::I && Dst == LocalType::R) ||
                               (Src == LocalType::R && Dst == LocalType::I);
  return Op == OperatorKind::Convert && BetweenReplicas
             ? OperatorKind::Reinterpret
             : Op;
}

/// What sums accepts src=V and reinterprets it to P first.
constexpr bool impliesReinterpretToPartial(OperatorKind Op, LocalType Src) {
  return Src == LocalType::V &&
         (Op == OperatorKind::AllReduce || Op == OperatorKind::ReduceScatter ||
          Op == OperatorKind::Reduce);
}

/// Index of the table's row for \p Op from \p Src to \p Dst; NumTransitions
/// when no operator of that name does it. For constant expressions: under
/// -fsanitize=undefined GCC takes no comparison with null for one.
constexpr std::size_t rowOf(OperatorKind Op, LocalType Src, LocalType Dst) {
  if (impliesReinterpretToPartial(Op, Src))
    Src = LocalType::P;
  Op = canonicalOperator(Op, Src, Dst);
  std::size_t Row = 0;
  while (Row < NumTransitions &&
         (Transitions[Row].Op != Op || Transitions[Row].Src != Src ||
          Transitions[Row].Dst != Dst))
    ++Row;
  return Row;
}
constexpr bool hasTransition(OperatorKind Op, LocalType Src, LocalType Dst) {
  for (const Selection &S : Selections)
    if (S.Op == Op && S.Src == Src && S.Dst == Dst)
      return true;
  return rowOf(Op, Src, Dst) < NumTransitions;
}

/// The same row, or null.
constexpr const Transition *findTransition(OperatorKind Op, LocalType Src,
                                           LocalType Dst) {
  const std::size_t Row = rowOf(Op, Src, Dst);
  return Row < NumTransitions ? &Transitions[Row] : nullptr;
}

/// Some row from \p Src to \p Dst for messages, or null when none exists: a
/// row that keeps the meaning is preferred, then one that is not expert-only.
constexpr const Transition *suggestTransition(LocalType Src, LocalType Dst) {
  std::size_t Best = NumTransitions;
  for (std::size_t Row = 0; Row < NumTransitions; ++Row) {
    const Transition &T = Transitions[Row];
    if (T.Src != Src || T.Dst != Dst)
      continue;
    if (Best == NumTransitions || (T.KeepsMeaning && !T.ExpertOnly))
      Best = Row;
  }
  return Best < NumTransitions ? &Transitions[Best] : nullptr;
}

/// The types that \p Op takes, and those it takes to some result.
constexpr TypeSet sourcesOf(OperatorKind Op) {
  TypeSet Out;
  for (const Transition &T : Transitions)
    if (T.Op == Op)
      Out |= T.Src;
  if (isSelection(Op))
    Out |= LocalType::V;
  if (impliesReinterpretToPartial(Op, LocalType::V))
    Out |= LocalType::V;
  return Out;
}
constexpr TypeSet targetsOf(OperatorKind Op, LocalType Src) {
  TypeSet Out;
  for (LocalType Dst : AllLocalTypes)
    if (hasTransition(Op, Src, Dst))
      Out |= Dst;
  return Out;
}

namespace detail {
/// Every row's backward runs between the duals of its types and, where the
/// table names it, has the row itself as its own backward.
constexpr bool backwardTypesAreDual() {
  for (const Transition &T : Transitions)
    if (T.BackwardSrc != dual(T.Dst) || T.BackwardDst != dual(T.Src))
      return false;
  return true;
}
constexpr bool backwardIsInvolutive() {
  for (const Transition &T : Transitions) {
    if (T.Src == LocalType::I && T.Dst == LocalType::V &&
        T.Op == OperatorKind::Reinterpret)
      continue; // a composition: the table has no single flipped row
    const std::size_t Row = rowOf(T.BackwardOp, T.BackwardSrc, T.BackwardDst);
    if (Row == NumTransitions || Transitions[Row].BackwardOp != T.Op ||
        Transitions[Row].BackwardSrc != T.Src ||
        Transitions[Row].BackwardDst != T.Dst)
      return false;
  }
  return true;
}
} // namespace detail

static_assert(detail::backwardTypesAreDual());
static_assert(detail::backwardIsInvolutive());
static_assert(sourcesOf(OperatorKind::AllReduce) ==
              (LocalType::P | LocalType::V));
static_assert(targetsOf(OperatorKind::AllGather, LocalType::V) ==
              (LocalType::R | LocalType::I));

} // namespace spmd::rules

// Whoever includes the table has it proven.
#include "spmd/types/TransitionProof.h"

#endif // SPMD_TYPES_TRANSITION_H
