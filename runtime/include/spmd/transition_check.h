//===- transition_check.h - Illegal (src, dst) pairs, in words --*- C++ -*-===//
//
// Turns the transition table into compile errors that name the alternative.
// The table itself is rules/Transition.h; every text below is checked against
// it.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TRANSITION_CHECK_H
#define SPMD_TRANSITION_CHECK_H

#include "spmd/tags.h"
#include "spmd/types/Transition.h"

#include <type_traits>

namespace spmd::detail {

using rules::OperatorKind;

/// Which operator a message proposes for a pair: the one that keeps the
/// meaning, if the table has one that is not for experts.
constexpr OperatorKind proposed(LocalType Src, LocalType Dst) {
  return rules::suggestTransition(Src, Dst)->Op;
}

/// Instantiated for every pair that is used; fails where \p Legal is false.
template <OperatorKind Op, LocalType Src, LocalType Dst, bool Legal>
struct LegalPair {
  static_assert(Legal, "spmd: this operator does not take this src to this "
                       "dst, nothing has to be done between equal types");
};

#define SPMD_PROPOSE(SRC, DST, OP, CALL)                                       \
  static_assert(proposed(LocalType::SRC, LocalType::DST) == OperatorKind::OP,  \
                "the text and the transition table disagree");                 \
  template <OperatorKind Op, bool Legal>                                       \
  struct LegalPair<Op, LocalType::SRC, LocalType::DST, Legal> {                \
    static_assert(Legal, "spmd: this operator does not take " #SRC " to " #DST \
                         "; " CALL " does");                                   \
  };
SPMD_PROPOSE(R, I, Reinterpret, "reinterpret(x, axis, R, I, spmd::expert)")
SPMD_PROPOSE(R, V, Convert, "convert(x, axis, R, V)")
SPMD_PROPOSE(R, P, Convert, "convert(x, axis, R, P)")
SPMD_PROPOSE(I, R, Reinterpret, "invariant_to_replicate(x, axis)")
SPMD_PROPOSE(I, V, Convert, "convert(x, axis, I, V)")
SPMD_PROPOSE(I, P, Convert, "convert(x, axis, I, P, spmd::expert)")
SPMD_PROPOSE(V, R, AllGather, "all_gather(x, axis, V, R)")
SPMD_PROPOSE(V, I, AllGather, "all_gather(x, axis, V, I)")
SPMD_PROPOSE(V, V, AllToAll, "all_to_all(x, axis, V, V)")
SPMD_PROPOSE(V, P, Reinterpret, "reinterpret(x, axis, V, P)")
SPMD_PROPOSE(P, R, AllReduce, "all_reduce(x, axis, P, R)")
SPMD_PROPOSE(P, I, AllReduce, "all_reduce(x, axis, P, I)")
SPMD_PROPOSE(P, V, ReduceScatter, "reduce_scatter(x, axis, P, V)")
#undef SPMD_PROPOSE

/// Instantiated for every legal row; fails where an expert-only one is used
/// without spmd::expert.
template <OperatorKind Op, LocalType Src, LocalType Dst, bool Unlocked>
struct Allowed {
  static_assert(Unlocked,
                "spmd: this transition is right but almost never meant in "
                "forward code: say so with spmd::expert as the last argument");
};

#define SPMD_PROPOSE(OP, NAME, SRC, DST, OTHER, CALL)                          \
  static_assert(proposed(LocalType::SRC, LocalType::DST) ==                    \
                    OperatorKind::OTHER,                                       \
                "the text and the transition table disagree");                 \
  template <bool Unlocked>                                                     \
  struct Allowed<OperatorKind::OP, LocalType::SRC, LocalType::DST, Unlocked> { \
    static_assert(Unlocked,                                                    \
                  "spmd: " NAME "(" #SRC ", " #DST                             \
                  ") is almost never meant in forward code: use " CALL         \
                  ", or pass spmd::expert as the last argument");              \
  };
SPMD_PROPOSE(Reinterpret, "reinterpret", R, V, Convert,
             "convert(x, axis, R, V)")
SPMD_PROPOSE(Reinterpret, "reinterpret", R, P, Convert,
             "convert(x, axis, R, P)")
SPMD_PROPOSE(Convert, "convert", V, P, Reinterpret,
             "reinterpret(x, axis, V, P)")
#undef SPMD_PROPOSE

/// Whether the operator cuts a dim or puts it together.
constexpr bool knowsShards(OperatorKind Op) {
  return !rules::hasRoot(Op) && !rules::isSelection(Op) &&
         Op != OperatorKind::Permute;
}

constexpr bool expertOnly(OperatorKind Op, LocalType Src, LocalType Dst) {
  const std::size_t Row = rules::rowOf(Op, Src, Dst);
  return Row < rules::NumTransitions && rules::Transitions[Row].ExpertOnly;
}

/// A list of tensors and a sharded one are not the same kind of thing; even and
/// uneven shards are.
template <class Src, class Dst> constexpr void checkAllToAll() {
  if constexpr (IsTag<Src>::Value && IsTag<Dst>::Value) {
    constexpr bool Both =
        Src::Type == LocalType::V && Dst::Type == LocalType::V;
    static_assert(!Both || std::is_same<Src, Varying>::value ==
                               std::is_same<Dst, Varying>::value,
                  "spmd: this takes V to V or S(i) to S(j), not a mix of both");
  }
}

/// Names the first argument that is not a tag, then an illegal pair, then a
/// locked one: one message, never three.
template <OperatorKind Op, class Src, class Dst, bool Unlocked>
constexpr void checkTransition() {
  static_assert(IsTag<Src>::Value, "spmd: src must be one of spmd::R, "
                                   "spmd::I, spmd::V, spmd::P, spmd::S(i)");
  static_assert(IsTag<Dst>::Value, "spmd: dst must be one of spmd::R, "
                                   "spmd::I, spmd::V, spmd::P, spmd::S(i)");
  if constexpr (IsTag<Src>::Value && IsTag<Dst>::Value) {
    static_assert(knowsShards(Op) ||
                      !(IsShard<Src>::Value || IsShard<Dst>::Value),
                  "spmd: this takes V, as each rank has a value of its own in "
                  "it; chunks of one tensor, S(i), are for all_gather, "
                  "reduce_scatter, all_to_all and convert");
    if constexpr (Op == OperatorKind::AllToAll)
      checkAllToAll<Src, Dst>();
    constexpr bool Legal = rules::hasTransition(Op, Src::Type, Dst::Type);
    (void)sizeof(LegalPair<Op, Src::Type, Dst::Type, Legal>);
    if constexpr (Legal)
      (void)sizeof(Allowed < Op, Src::Type, Dst::Type,
                   Unlocked || !expertOnly(Op, Src::Type, Dst::Type) >);
  }
}

} // namespace spmd::detail

#endif // SPMD_TRANSITION_CHECK_H
