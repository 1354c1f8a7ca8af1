//===- LintJob.h - A file to be linted, and what became of it ---*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_LINTJOB_H
#define SPMD_LINT_LIB_DRIVER_LINTJOB_H

#include "spmd/lint/CompileCommands.h"
#include "spmd/lint/LintResult.h"

#include "llvm/Support/Chrono.h"

namespace spmd::lint {

/// Contents that stand in for those on disk, by absolute path: standard input,
/// and files with fixes applied.
using FileOverlay = std::map<std::string, std::string>;

struct LintJob {
  std::string File; ///< absolute path
  CompileCommand Command;
  std::shared_ptr<const Config> Cfg;
};

/// A file of the user's that a translation unit read.
struct UserFileState {
  std::uint64_t Hash = 0; ///< of the contents that were analysed
  FileSuppressions Suppressed;
};

struct FileResult {
  LintResult Lint;
  LintResult Program; ///< of the program whose first file this is
  /// Clang's errors, each as a diagnostic of `clang-diagnostic-error`.
  std::vector<Diagnostic> ParseErrors;
  std::vector<std::string> MissingHeaders; ///< as written
  std::map<std::string, UserFileState> UserFiles;
  bool Analysed = false; ///< there was an AST
  bool Crashed = false;
  bool Cached = false; ///< from an earlier run; the times are that run's
  double TotalSeconds = 0;
  double AnalysisSeconds = 0; ///< everything after Clang's parse
  /// Absolute paths of all files that Clang read.
  std::vector<std::string> FilesRead;
  llvm::sys::TimePoint<> Begun; ///< by the clock that stamps files
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_LINTJOB_H
