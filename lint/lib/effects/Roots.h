//===- Roots.h - What of a file is run --------------------------*- C++ -*-===//

#ifndef SPMD_LINT_EFFECTS_ROOTS_H
#define SPMD_LINT_EFFECTS_ROOTS_H

#include "Names.h"

namespace spmd::lint::effects {

/// Adds the roots of the program: functions that nobody calls, by themselves
/// and after those that prepare what they read.
void addRoots(StatementWriter &Out, Names &Named,
              const rules::CollectiveApis &Apis);

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_ROOTS_H
