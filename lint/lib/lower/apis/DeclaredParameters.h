//===- DeclaredParameters.h - What all parameters are declared --*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_APIS_DECLAREDPARAMETERS_H
#define SPMD_LINT_LOWER_APIS_DECLAREDPARAMETERS_H

#include "../ModuleLowering.h"

namespace spmd::lint::lower {

/// What the annotations of the members of the module \p T, and of the modules
/// in it, say of all of them alike; the place is that of one of these. None
/// where there is nothing in common, or some parameter has no annotation.
Annotation<rules::TypeAnnotation> declaredParameters(ModuleLowering &M,
                                                     clang::QualType T);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_APIS_DECLAREDPARAMETERS_H
