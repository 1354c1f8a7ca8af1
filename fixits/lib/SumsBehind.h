//===- SumsBehind.h - What is added up again later --------------*- C++ -*-===//
//
// A collective of MPI's, NCCL's or c10d's takes whatever it is given for terms.
// Where what a repair has added up gets to one, it would be added up twice.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_FIXITS_SUMSBEHIND_H
#define SPMD_FIXITS_SUMSBEHIND_H

#include "spmd/inference/Violation.h"

namespace spmd::fixits {

/// Whether \p Op adds up what the ranks have.
bool addsUp(rules::OperatorKind Op);

/// Whether what the op of \p V makes gets to a sum that says nothing of types,
/// in the same function or in one that this calls.
bool isAddedUpBehind(const rules::Module &M, const rules::Violation &V);

} // namespace spmd::fixits

#endif // SPMD_FIXITS_SUMSBEHIND_H
