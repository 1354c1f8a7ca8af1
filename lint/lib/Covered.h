//===- Covered.h - How much of a program is understood ----------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_COVERED_H
#define SPMD_LINT_LIB_COVERED_H

#include "ProgramText.h"

#include "spmd/inference/Inference.h"

namespace spmd::lint {

/// What \p Found knows of the expressions and collectives of \p M. With
/// \p Advise also which annotations would say most: each is tried.
Coverage coverageOf(rules::Module &M, const rules::InferenceResult &Found,
                    const ProgramText &Text,
                    const rules::InferenceOptions *Advise);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_COVERED_H
