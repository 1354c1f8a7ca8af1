//===- Ways.h - What holds on one way through a function --------*- C++ -*-===//
//
// `if (last) all_reduce(g); update(w, g);`: where ways meet, g is P or R, and
// nothing is said of it. On the way that leaves the collective out it is P, and
// the update is wrong. So a function whose collectives hang on a number that
// keeps its value is analysed once for each of the ways that the number
// chooses.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_WAYS_H
#define SPMD_INFERENCE_WAYS_H

#include "spmd/inference/Inference.h"

namespace spmd::rules {

/// The findings that \p Found, of the same module, lacks since they hold on
/// some way only; Violation::Way says on which. What a further condition
/// decides that may have to do with the first is not among them. Adds to what
/// \p Found gave up, and takes from it what was possible and is now sure.
/// Branches of \p M are cut during the call.
std::vector<Violation> inferWays(Module &M, const InferenceOptions &Options,
                                 InferenceResult &Found);

/// Cuts the branches of \p M that leave a collective out and do nothing else,
/// where a number is at most one: there is nobody to talk to, or nothing to
/// say.
void cutIdleWays(Module &M);

} // namespace spmd::rules

#endif // SPMD_INFERENCE_WAYS_H
