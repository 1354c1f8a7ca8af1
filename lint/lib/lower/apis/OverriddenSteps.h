//===- OverriddenSteps.h - Steps of optimizers of the program's -*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_APIS_OVERRIDDENSTEPS_H
#define SPMD_LINT_LOWER_APIS_OVERRIDDENSTEPS_H

#include "../ExprLowering.h"

#include "cxx/CallSite.h"

namespace spmd::lint::lower {

/// Whether the step \p C of an optimizer of the library's may be one of a class
/// that derives from it in the file and reduces the gradients first.
bool mayReduceFirst(ExprLowering &L, const CallSite &C);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_OVERRIDDENSTEPS_H
