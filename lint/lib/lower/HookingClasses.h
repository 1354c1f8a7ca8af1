//===- HookingClasses.h - Classes that hook gradients -----------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_HOOKINGCLASSES_H
#define SPMD_LINT_LOWER_HOOKINGCLASSES_H

#include "FactWriter.h"

namespace spmd::lint::lower {

/// What a function is given, or the object that it is a method of has, as an
/// object of a class whose methods register hooks that may reduce gradients,
/// has done so: who made it is not seen, and of a class template the file may
/// not instantiate the method that does.
void hookGivenObjects(FactWriter &L);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_HOOKINGCLASSES_H
