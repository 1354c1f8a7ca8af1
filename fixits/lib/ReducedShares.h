//===- ReducedShares.h - Ops that reduce what each rank has -----*- C++ -*-===//

#ifndef SPMD_FIXITS_LIB_REDUCEDSHARES_H
#define SPMD_FIXITS_LIB_REDUCEDSHARES_H

#include "spmd/ir/IR.h"

namespace spmd::fixits {

/// What an op makes of the dim of which each rank has a share.
enum class OfShares : std::uint8_t {
  Keeps,    ///< or nobody knows
  Adds,     ///< the rank's own sum, a term of the sum over all ranks
  Averages, ///< the rank's own mean
  Mixes,    ///< an extreme, a norm: of all shares it is something else
};

/// What \p O makes of shares along the dim \p ShardDim of its operand \p I, of
/// which a negative one counts from the last; without it, of the whole
/// tensor's.
OfShares madeOfShares(const rules::OpFact &O, std::size_t I,
                      std::optional<int> ShardDim);

} // namespace spmd::fixits

#endif // SPMD_FIXITS_LIB_REDUCEDSHARES_H
