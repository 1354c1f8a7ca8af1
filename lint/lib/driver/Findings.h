//===- Findings.h - What a run found ----------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_FINDINGS_H
#define SPMD_LINT_LIB_DRIVER_FINDINGS_H

#include "LintFile.h"

#include "spmd/lint/ConfigFile.h"
#include "spmd/lint/Fixes.h"
#include "spmd/lint/Report.h"

namespace spmd::lint {

struct Findings {
  Report Found;
  bool hasAtLeast(Severity S) const;
};

/// Merges the results of all files: severities and checks as each file's
/// configuration has them, suppressions applied, a header's findings once.
Findings mergeResults(llvm::ArrayRef<LintJob> Jobs,
                      llvm::ArrayRef<FileResult> Results,
                      ConfigLoader &Configs);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_FINDINGS_H
