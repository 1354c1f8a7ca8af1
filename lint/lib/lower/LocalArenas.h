//===- LocalArenas.h - Local lists that point into a buffer -----*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOCALARENAS_H
#define SPMD_LINT_LOWER_LOCALARENAS_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// What points into one allocation is a part of it: members and globals do, and
/// what the structs in a local list have.
void bindArenas(ExprLowering &L);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOCALARENAS_H
