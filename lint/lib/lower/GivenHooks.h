//===- GivenHooks.h - Hooks that others have registered ---------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_GIVENHOOKS_H
#define SPMD_LINT_LOWER_GIVENHOOKS_H

#include "FactWriter.h"

namespace spmd::lint::lower {

/// The gradients of what a function is given, or the object that it is a method
/// of has, are what hooks make of them, where others have registered some.
void hookGivenObjects(FactWriter &L);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_GIVENHOOKS_H
