//===- CheckTransitions.h - The table of operators, by numbers --*- C++ -*-===//

#ifndef SPMD_ORACLE_CHECKTRANSITIONS_H
#define SPMD_ORACLE_CHECKTRANSITIONS_H

#include "spmd/oracle/Operators.h"

namespace spmd::oracle {

/// One row of the table on definite layouts, shape and number of ranks.
struct TransitionCell {
  rules::Transition Row;
  Layout Src, Dst;
  Shape Meaning; ///< of the operand's denotation
  int N = 1;

  std::string str() const; ///< "all_gather(S(0) -> R), [3], 2 ranks"
};

/// Every row with every layout, on tensors of up to three dims, even and uneven
/// shards, and one to four ranks.
std::vector<TransitionCell> transitionCells();
/// Those on \p N ranks.
std::vector<TransitionCell> transitionCells(int N);

/// Empty when the operator takes every legal value to a legal one, keeps its
/// meaning if the row says so, and the row's backward is its transpose. Else
/// what went wrong, with the values. The operators are linear, so that a basis
/// proves it for this shape and number of ranks.
std::string checkForward(const TransitionCell &C);
std::string checkBackward(const TransitionCell &C);

/// Whether some value changes its meaning.
bool changesMeaning(const TransitionCell &C);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_CHECKTRANSITIONS_H
