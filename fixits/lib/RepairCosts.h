//===- RepairCosts.h - What operators move ----------------------*- C++ -*-===//

#ifndef SPMD_FIXITS_REPAIRCOSTS_H
#define SPMD_FIXITS_REPAIRCOSTS_H

#include "spmd/types/Transition.h"

namespace spmd::fixits {

/// For ranking, in units of the tensor's size.
int weightOf(rules::OperatorKind Op);

} // namespace spmd::fixits

#endif // SPMD_FIXITS_REPAIRCOSTS_H
