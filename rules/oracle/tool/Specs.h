//===- Specs.h - The report on shape rules ----------------------*- C++ -*-===//

#ifndef SPMD_ORACLE_TOOL_SPECS_H
#define SPMD_ORACLE_TOOL_SPECS_H

#include "spmd/oracle/CheckSpecs.h"

#include "llvm/ADT/STLExtras.h"

/// All ops with a shape rule whose name contains \p Only. Calls \p Show for
/// each that says something of its own.
spmd::oracle::SpecCounts
checkAllSpecs(const spmd::oracle::SpecLimits &Limits, llvm::StringRef Only,
              llvm::function_ref<void(const spmd::rules::OpRule &,
                                      const spmd::oracle::SpecCheck &)>
                  Show);
/// The exit code: 1 when an accepted assignment is wrong.
int showSpecs(const spmd::oracle::SpecLimits &Limits, llvm::StringRef Only);

#endif // SPMD_ORACLE_TOOL_SPECS_H
