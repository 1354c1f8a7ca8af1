//===- Covered.h - How much of a program is understood ----------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_COVERED_H
#define SPMD_LINT_LIB_COVERED_H

#include "ProgramText.h"

#include "spmd/inference/Inference.h"

namespace spmd::lint {

/// What \p Found knows of the expressions and collectives of \p M.
Coverage coverageOf(const rules::Module &M, const rules::InferenceResult &Found,
                    const ProgramText &Text);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_COVERED_H
