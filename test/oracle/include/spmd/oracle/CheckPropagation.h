//===- CheckPropagation.h - How Reduced could spread through ops -*- C++
//-*-===//
//
// The design of a Reduced placement for DTensor calls R "Reduced" and I
// "Replicate", and gives two rules for the result of an op on both: it is
// Reduced when any input is, or when all are. Numbers decide.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_CHECKPROPAGATION_H
#define SPMD_ORACLE_CHECKPROPAGATION_H

#include "spmd/ops/OpClass.h"
#include "spmd/types/Transition.h"

#include <string>
#include <vector>

namespace spmd::oracle {

enum class PropagationRule : bool { AnyInput, AllInputs };

/// One op of a class on two replicas, typed by a rule.
struct PropagationCase {
  PropagationRule Rule = PropagationRule::AnyInput;
  rules::OpClass Class = rules::OpClass::Linear;
  rules::LocalType A = rules::LocalType::R, B = rules::LocalType::R;

  rules::LocalType result() const;
  /// What shows the rule wrong here, or nothing when gradients are right.
  std::string counterexample() const;
};

/// Both rules with every class whose gradients flow and all pairs of R and I.
std::vector<PropagationCase> propagationCases();

/// What the backward of gathering a shard of \p Elements elements in all from
/// \p N ranks sends per rank, on a ring: to R one reduce_scatter; to I, which
/// is then used as R, an all_reduce and a slice.
struct GatherCost {
  double ToReduced = 0, ToReplicate = 0; ///< elements sent per rank
};
GatherCost backwardOfGather(int Elements, int N);

/// Whether both ways give each rank the same gradient of its shard, run on
/// ranks; empty, or what differs.
std::string compareGathers(int N, unsigned Seed);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_CHECKPROPAGATION_H
