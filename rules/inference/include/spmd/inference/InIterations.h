//===- InIterations.h - What holds in some iterations --------*- C++ -*-===//
//
// `for (…) all_reduce(g);`: where the loop begins, g is what it was before or
// what an iteration has left, P or R, and nothing is said of it. In each
// iteration but the first it is R, and the sum is wrong. What one iteration
// leaves may be known to nobody, too: then the first one is wrong where it uses
// what is pending.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_INITERATIONS_H
#define SPMD_INFERENCE_INITERATIONS_H

#include "spmd/inference/Inference.h"

namespace spmd::rules {

/// The findings that \p Found, of the same module, lacks since they hold in
/// the first iteration of a loop only, or in those after it, as Violation::Way
/// says. Looked at are loops with a collective in each iteration, itself or in
/// what that calls. Adds to what \p Found gave up. Blocks of \p M are changed
/// during the call.
std::vector<Violation> inferInIterations(Module &M,
                                         const InferenceOptions &Options,
                                         InferenceResult &Found);

} // namespace spmd::rules

#endif // SPMD_INFERENCE_INITERATIONS_H
