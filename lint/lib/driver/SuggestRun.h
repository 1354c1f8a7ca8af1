//===- SuggestRun.h - --suggest-sharding ------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_SUGGESTRUN_H
#define SPMD_LINT_LIB_DRIVER_SUGGESTRUN_H

#include "LintFile.h"
#include "Options.h"

namespace spmd::lint {

/// What LintRequest::Suggest is: the options, with the mesh parsed.
llvm::Expected<SuggestRequest> suggestRequest(const Options &O);

/// How the suggestions end: in the order of the exit codes.
enum class SuggestOutcome : unsigned char {
  Made,
  None,       ///< for some function, or there is none to suggest for
  NotWritten, ///< a file, or the report
};

/// What a lint of the files finds that are as the overlay has them, first with
/// what makes global code right inserted, if \p Completes.
using LintOverlay =
    llvm::function_ref<std::vector<Diagnostic>(FileOverlay &, bool Completes)>;

/// Prints what the files' functions were advised; with --fix writes the
/// annotations and operators, with --fix-dry-run prints them as a diff. What
/// has more findings then, whatever is inserted, stays as it was.
SuggestOutcome reportSuggestions(const Options &O,
                                 llvm::ArrayRef<FileResult> Results,
                                 const FileOverlay &Overlay, LintOverlay Lint);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_SUGGESTRUN_H
