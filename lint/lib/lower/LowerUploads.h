//===- LowerUploads.h - What helpers store in declared pointers -*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_LOWERUPLOADS_H
#define SPMD_LINT_LOWER_LOWERUPLOADS_H

#include "ExprLowering.h"

namespace spmd::lint::lower {

/// `upload(&w.q, host, n)` stores in `w.q` what the helper has copied there: a
/// part for each rank, if that is declared. \p Given are the arguments of \p C.
void checkUploads(ExprLowering &L, const CallSite &C,
                  llvm::ArrayRef<rules::Operand> Given);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_LOWERUPLOADS_H
