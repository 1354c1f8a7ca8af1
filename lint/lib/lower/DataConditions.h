//===- DataConditions.h - What is decided by computed data ------*- C++ -*-===//
//
// `if (loss < best)`, `if (std::isfinite(norm))`, `if (!all_have_data)` where a
// reduction wrote that: which way it goes has nothing to do with options,
// counters or the number of ranks.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_DATACONDITIONS_H
#define SPMD_LINT_LOWER_DATACONDITIONS_H

#include "Slots.h"

#include "clang/Analysis/CFG.h"

namespace spmd::lint::lower {

/// Whether the branch at the end of \p B compares floating-point values, asks
/// whether one is finite, or tests a variable that was made so.
bool isDecidedByData(const clang::CFGBlock &B);
/// Says so of the branches of \p F that test one of its numbers, to which a
/// reduction of what ranks have wrote what they agreed on.
void markDecidedByReductions(rules::Function &F, const SlotTable &Slots);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_DATACONDITIONS_H
