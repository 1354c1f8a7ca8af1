//===- Escapes.h - Locals that more sees than the facts say -----*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_ESCAPES_H
#define SPMD_LINT_LOWER_ESCAPES_H

#include "Slots.h"

namespace spmd::lint::lower {

/// Marks the locals that some code names without leaving a fact: what they hold
/// is then seen by more than the facts say.
void findEscapes(const FactWriter &L, SlotTable &Slots);

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_ESCAPES_H
