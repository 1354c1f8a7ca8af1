//===- Specs.h - The report on shape rules ----------------------*- C++ -*-===//

#ifndef SPMD_ORACLE_TOOL_SPECS_H
#define SPMD_ORACLE_TOOL_SPECS_H

#include "spmd/oracle/CheckSpecs.h"

#include "llvm/ADT/STLExtras.h"

struct SpecTotals {
  spmd::oracle::SpecCounts Counts;
  unsigned Rules = 0; ///< that say something of their own
  unsigned Known = 0; ///< of which the reference is not made from the rule
  /// By reason, the ops of which no call is run.
  std::map<std::string, std::vector<std::string>> NotRun;
};
/// All ops with a shape rule whose name contains \p Only. Calls \p Show for
/// each that says something of its own.
SpecTotals
checkAllSpecs(const spmd::oracle::SpecLimits &Limits, llvm::StringRef Only,
              llvm::function_ref<void(const spmd::rules::OpRule &,
                                      const spmd::oracle::SpecCheck &)>
                  Show);
/// What there is, and what is left out.
void summarize(const SpecTotals &T);
/// The exit code: 1 when an accepted assignment is wrong.
int showSpecs(const spmd::oracle::SpecLimits &Limits, llvm::StringRef Only);

#endif // SPMD_ORACLE_TOOL_SPECS_H
