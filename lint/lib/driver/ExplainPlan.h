//===- ExplainPlan.h - --explain-plan ---------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_EXPLAINPLAN_H
#define SPMD_LINT_LIB_DRIVER_EXPLAINPLAN_H

#include "Options.h"

namespace spmd::lint {

/// How a tensor gets from the spec of --explain-plan to the one after it, on
/// the mesh of --mesh or of the configuration.
llvm::Error explainPlan(const Options &O, ConfigLoader &Configs,
                        llvm::raw_ostream &OS);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_EXPLAINPLAN_H
