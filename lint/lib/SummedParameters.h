//===- SummedParameters.h - Sums of parameters themselves -------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_SUMMEDPARAMETERS_H
#define SPMD_LINT_LIB_SUMMEDPARAMETERS_H

#include "spmd/inference/Violation.h"

namespace spmd::lint {

/// Where \p M adds up parameters of modules, not their gradients, over the
/// ranks, as who averages what each of them has trained by itself.
rules::Site sumOfParameters(const rules::Module &M);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_SUMMEDPARAMETERS_H
