//===- Output.h - What a run prints -----------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_OUTPUT_H
#define SPMD_LINT_LIB_DRIVER_OUTPUT_H

#include "Findings.h"
#include "Options.h"

namespace spmd::lint {

/// How findings are printed; files have no colours.
ReportOptions reportOptions(const Options &Opts, bool ToTerminal);

/// The difference of the texts of files as --fix-dry-run prints it; where it is
/// to be applied, if not in the working directory, on standard error.
void printDiff(const Options &Opts, const FileOverlay &Before,
               const FileOverlay &After);

/// Reports, dumps, parse errors and statistics, each where it belongs. False
/// when a report cannot be written.
bool writeOutput(const Options &Opts, llvm::ArrayRef<LintJob> Jobs,
                 llvm::ArrayRef<FileResult> Results, Findings &Found,
                 const SourceTexts &Texts);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_OUTPUT_H
