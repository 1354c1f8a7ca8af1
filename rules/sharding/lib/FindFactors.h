//===- FindFactors.h - The factors of an op on whole tensors ----*- C++ -*-===//

#ifndef SPMD_SHARDING_LIB_FINDFACTORS_H
#define SPMD_SHARDING_LIB_FINDFACTORS_H

#include "spmd/sharding/Graph.h"

namespace spmd::sharding {

/// Finds the rule of \p N and from it what the op makes; notes in \p G why
/// there is none. \p Written: what the op writes over, if that is known.
Value findFactors(Graph &G, Node &N, const Value *Written);

} // namespace spmd::sharding

#endif // SPMD_SHARDING_LIB_FINDFACTORS_H
