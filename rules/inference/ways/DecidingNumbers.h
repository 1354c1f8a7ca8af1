//===- DecidingNumbers.h - The numbers that choose ways ---------*- C++ -*-===//

#ifndef SPMD_INFERENCE_WAYS_DECIDINGNUMBERS_H
#define SPMD_INFERENCE_WAYS_DECIDINGNUMBERS_H

#include "CollectiveCallers.h"

namespace spmd::rules::inference {

/// By number, the blocks that test it.
using Tests = std::vector<std::vector<std::uint32_t>>;

/// What decides in a function.
struct Deciding {
  Function *F = nullptr; ///< null where nothing does
  Tests Numbers;
  std::size_t OfCollectives = 0; ///< so many, the first, are about these
};

/// What decides in \p F about collectives; if it is \p Doubted, also what
/// decides about anything else.
Deciding decidingIn(Function &F, const CollectiveCallers &Collected,
                    bool Doubted);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_WAYS_DECIDINGNUMBERS_H
