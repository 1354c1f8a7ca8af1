//===- LowerForEach.h - Calls that are loops over a list --------*- C++ -*-===//
//
// Such a call is one iteration of the loop that it is: see LowerEach.h. What
// an iteration finds of earlier ones in what the closure has captured is left
// out.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_LOWERFOREACH_H
#define SPMD_LINT_LOWER_LOWERFOREACH_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// False if \p E is no such call.
bool lowerForEach(ExprLowering &L, const clang::Expr *E);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERFOREACH_H
