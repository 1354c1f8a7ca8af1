//===- Clocks.h - What each rank's own clock says ---------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_APIS_CLOCKS_H
#define SPMD_LINT_LOWER_APIS_CLOCKS_H

#include "../Recognisers.h"

namespace spmd::lint::lower {

/// `spent > 60s`
bool comparesTimes(const clang::CXXOperatorCallExpr *E);
/// A call that reads a clock, or computes with times of std::chrono.
Recognised lowerClock(ExprLowering &L, const CallSite &C);
/// A duration or a time of std::chrono that is made.
Recognised lowerTime(ExprLowering &L, const clang::CXXConstructExpr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_CLOCKS_H
