//===- CheckFlattening.h - Two axes as one ----------------------*- C++ -*-===//
//
// A collective on several axes takes and makes the same type on each. That is
// right when a value of one type on both axes means what it means on the axis
// that the two make when flattened, outermost first, and when one step on that
// axis does what a step on each would do.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_ORACLE_CHECKFLATTENING_H
#define SPMD_ORACLE_CHECKFLATTENING_H

#include "spmd/oracle/CheckTransitions.h"

namespace spmd::oracle {

/// A row on an axis of Outer * Inner ranks.
struct FlattenedCell {
  TransitionCell Flat;
  int Outer = 1, Inner = 1;

  std::string str() const; ///< "all_gather(S(0) -> R), [3], 2 x 2 ranks"
};

/// Every row with every layout on meshes of up to 2 x 3 and 3 x 2 ranks.
std::vector<FlattenedCell> flattenedCells();

/// What a value of type \p L on both axes means, found axis by axis, the inner
/// one first. A tuple of tuples is one tuple.
Tensor meaningOnBoth(const Layout &L, const Ranks &X, int Outer);

/// Empty when operand and result mean the same on two axes as on the flattened
/// one, and steps on one axis after the other, where the table has them, give
/// the same ranks the same values. Else what differs.
std::string checkFlattening(const FlattenedCell &C);

} // namespace spmd::oracle

#endif // SPMD_ORACLE_CHECKFLATTENING_H
