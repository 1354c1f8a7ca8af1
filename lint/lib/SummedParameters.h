//===- SummedParameters.h - Sums that findings point to ---------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_SUMMEDPARAMETERS_H
#define SPMD_LINT_LIB_SUMMEDPARAMETERS_H

#include "spmd/inference/Violation.h"

namespace spmd::lint {

/// Where \p M adds up parameters of modules, not their gradients, over the
/// ranks, as who averages what each of them has trained by itself.
rules::Site sumOfParameters(const rules::Module &M);

/// Where \p M adds up gradients over a group that nothing says to be of
/// \p Axis.
rules::Site sumOverOtherGroup(const rules::Module &M, llvm::StringRef Axis);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_SUMMEDPARAMETERS_H
