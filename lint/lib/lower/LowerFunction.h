//===- LowerFunction.h - A signature, and a body to facts -------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWERFUNCTION_H
#define SPMD_LINT_LOWER_LOWERFUNCTION_H

#include "FactWriter.h"

namespace spmd::lint::lower {

/// Parameters, result and axes: what callers see. Where there is no body that
/// names them, also the members of parameters.
void lowerSignature(FactWriter &L);
/// \p F has the signature of \p FD; its body is lowered to blocks.
void lowerFunction(ModuleLowering &M, const clang::FunctionDecl *FD,
                   rules::Function &F, FunctionSource &Source);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERFUNCTION_H
