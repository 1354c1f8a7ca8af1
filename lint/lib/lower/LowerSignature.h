//===- LowerSignature.h - What callers see of a function --------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWERSIGNATURE_H
#define SPMD_LINT_LOWER_LOWERSIGNATURE_H

#include "FactWriter.h"

namespace spmd::lint::lower {

/// Parameters, result and axes; where there is no body that names them, also
/// the members of parameters.
void lowerSignature(FactWriter &L);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERSIGNATURE_H
