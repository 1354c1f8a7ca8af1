//===- LowerFunction.h - One body to blocks of facts ------------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWERFUNCTION_H
#define SPMD_LINT_LOWER_LOWERFUNCTION_H

#include "ModuleLowering.h"

namespace spmd::lint::lower {

/// \p F has the signature of \p FD; its body is lowered to blocks.
void lowerFunction(ModuleLowering &M, const clang::FunctionDecl *FD,
                   rules::Function &F, FunctionSource &Source);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERFUNCTION_H
