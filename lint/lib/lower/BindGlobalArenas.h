//===- BindGlobalArenas.h - Parts of what a global holds --------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_BINDGLOBALARENAS_H
#define SPMD_LINT_LOWER_BINDGLOBALARENAS_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// What points into one allocation is a part of it in each function that names
/// some of that, and behind calls that set it up.
void bindGlobalArenas(ExprLowering &L);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_BINDGLOBALARENAS_H
