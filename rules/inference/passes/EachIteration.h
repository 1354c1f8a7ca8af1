//===- EachIteration.h - What each iteration of a loop does -----*- C++ -*-===//

#ifndef SPMD_INFERENCE_PASSES_EACHITERATION_H
#define SPMD_INFERENCE_PASSES_EACHITERATION_H

#include "Loops.h"

namespace spmd::rules::inference {

/// Whether all iterations of the loop at \p Head that go on to another come
/// through \p Block: what some skip hangs on what they know.
bool isInEach(const Function &F, const Loops &Cycles, std::uint32_t Head,
              std::uint32_t Block);

/// The same, or in all iterations of a loop inside that one, which all of its
/// iterations come to: a loop over parameters, say, is taken to run.
bool comesToEach(const Function &F, const Loops &Cycles, std::uint32_t Head,
                 std::uint32_t Block);

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_PASSES_EACHITERATION_H
