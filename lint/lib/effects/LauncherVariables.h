//===- LauncherVariables.h - Ranks that the environment gives ---*- C++ -*-===//
//
// Launchers tell each process its number, and how many there are, by variables
// of the environment, which programs read where they have no MPI to ask.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_EFFECTS_LAUNCHERVARIABLES_H
#define SPMD_LINT_EFFECTS_LAUNCHERVARIABLES_H

#include "cxx/CallSite.h"

#include "spmd/ops/CollectiveApi.h"

namespace spmd::lint::effects {

/// Whether the call gives the rank or the number of ranks, as a launcher tells
/// it; none for all other calls.
std::optional<rules::CallKind> toldByLauncher(const CallSite &C);

} // namespace spmd::lint::effects

#endif // SPMD_LINT_EFFECTS_LAUNCHERVARIABLES_H
