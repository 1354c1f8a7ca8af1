//===- transition.h - One transition of one buffer --------------*- C++ -*-===//
//
// What all typed operators come down to once types have been checked: a row of
// the transition table, two buffers and an axis.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TRANSITION_H
#define SPMD_TRANSITION_H

#include "spmd/backend.h"
#include "spmd/permutation.h"
#include "spmd/shapes.h"
#include "spmd/transition_check.h"

namespace spmd::detail {

/// Runs \p Op from \p Src to \p Dst, a pair that the table has. Shapes or
/// dtypes that do not fit are an Error. On an axis of one rank every operator
/// is the identity.
void runTransition(OperatorKind Op, const View &In, const View &Out,
                   const Axis &A, const Placement &Src, const Placement &Dst,
                   Site At, const Details &D = {});

/// The call with all that follows from what is given. An Error where it cannot
/// be: a root that is no rank, counts that do not add up.
Call callOf(OperatorKind Op, const Axis &A, const Placement &Src,
            const Placement &Dst, DType Type, const Shape &In, Site At,
            const Details &D);

/// On an axis of one rank, a permutation that sends to nobody.
bool losesAll(const Call &C);

/// Whether SPMD_CHECK is set and not 0; read once.
bool checksCalls();

/// What SPMD_CHECK=1 asks for before \p Op, where it is not left to
/// runTransition: an Error on all ranks when they call something else, or \p X
/// is typed R or I and differs. Communicates; of one rank does nothing.
void checkOperand(OperatorKind Op, const View &X, const Axis &A,
                  const Placement &Src, const Placement &Dst, Site At);

/// Until all ranks of \p A are here.
void barrier(const Axis &A, Site At);

/// In the memory that \p A works on.
void scale(const View &X, const Axis &A, double By, Site At);

inline Details countsOf(const ChunkSizes &Sent, const ChunkSizes &Received) {
  return {false, 0, std::make_shared<const ChunkSizes>(Sent),
          std::make_shared<const ChunkSizes>(Received)};
}

inline Details rootedAt(int Root) { return {false, Root}; }

/// The same for tags, checked by the compiler first.
template <OperatorKind Op, bool Unlocked = false, class Src, class Dst>
void runChecked(const View &In, const View &Out, const Axis &A, const Src &From,
                const Dst &To, Site At, const Details &D = {}) {
  checkTransition<Op, Src, Dst, Unlocked>();
  if constexpr (IsTag<Src>::Value && IsTag<Dst>::Value)
    runTransition(Op, In, Out, A, From, To, At, D);
}

} // namespace spmd::detail

#endif // SPMD_TRANSITION_H
