//===- Initialisation.h - What variables and members begin with -*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_INITIALISATION_H
#define SPMD_LINT_LOWER_INITIALISATION_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

void initialise(ExprLowering &L, const clang::VarDecl *VD);
void initialiseField(ExprLowering &L, const clang::CXXCtorInitializer *Init);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_INITIALISATION_H
