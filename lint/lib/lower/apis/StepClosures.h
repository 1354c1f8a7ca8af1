//===- StepClosures.h - What a step runs first ------------------*- C++ -*-===//
//
// `opt.step([&] { …; loss.backward(); return loss; })` runs the closure, and
// reads the gradients that it leaves.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_APIS_STEPCLOSURES_H
#define SPMD_LINT_LOWER_APIS_STEPCLOSURES_H

#include "../ExprLowering.h"

namespace spmd::lint::lower {

/// Whether all that the step \p C is given to run is seen.
bool seesClosures(ExprLowering &L, const CallSite &C);
/// Whether \p Made, a std::function, is made for such steps of the function,
/// and for nothing else.
bool isMadeForStep(ExprLowering &L, const clang::Expr *Made);
/// Runs what the step \p C is given; false if that is not seen.
bool runClosures(ExprLowering &L, const CallSite &C);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_STEPCLOSURES_H
