//===- RepairInIR.h - What repairs do to the IR -----------------*- C++ -*-===//

#ifndef SPMD_FIXITS_REPAIRINIR_H
#define SPMD_FIXITS_REPAIRINIR_H

#include "spmd/fixits/Repair.h"

namespace spmd::fixits {

/// A function of a module, and what a repair makes of it.
struct ChangedFunction {
  rules::Function *F;
  rules::Function As;
};

/// The function of \p M, into whose functions \p V points, that \p R changes.
/// None where the IR cannot show it.
std::optional<ChangedFunction>
changedBy(rules::Module &M, const rules::Violation &V, const Repair &R);

/// Makes \p R in \p M, into whose functions \p V points: not afterwards, where
/// it was made. False where the IR cannot show it; nothing is changed then.
bool makeRepair(rules::Module &M, const rules::Violation &V, const Repair &R);

} // namespace spmd::fixits

#endif // SPMD_FIXITS_REPAIRINIR_H
