//===- HookedTemplates.h - Class templates that hook gradients --*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_HOOKEDTEMPLATES_H
#define SPMD_LINT_LOWER_HOOKEDTEMPLATES_H

#include "FactWriter.h"

namespace spmd::lint::lower {

/// What a function is given as an instance of a class template whose methods
/// register hooks of gradients has done so: the file may not instantiate the
/// method that does.
void hookParameters(FactWriter &L);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_HOOKEDTEMPLATES_H
