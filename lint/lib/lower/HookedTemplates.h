//===- HookedTemplates.h - Class templates that hook gradients --*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_HOOKEDTEMPLATES_H
#define SPMD_LINT_LOWER_HOOKEDTEMPLATES_H

#include "clang/AST/Type.h"

namespace spmd::lint::lower {

/// Whether \p T is an instance of a class template, or refers to one, whose
/// methods register hooks of gradients: a file that is given one may not
/// instantiate the method that does.
bool isOfHookingTemplate(clang::QualType T);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_HOOKEDTEMPLATES_H
