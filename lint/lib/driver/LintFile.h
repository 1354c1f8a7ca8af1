//===- LintFile.h - One file, parsed and analysed ---------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_LINTFILE_H
#define SPMD_LINT_LIB_DRIVER_LINTFILE_H

#include "spmd/lint/CompileCommands.h"
#include "spmd/lint/Lint.h"

#include "llvm/Support/Chrono.h"

namespace spmd::lint {

/// Contents that stand in for those on disk, by absolute path: standard input,
/// and files with fixes applied.
using FileOverlay = std::map<std::string, std::string>;

class ResultCache;

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

/// Deeply nested expressions need room; pages that are not used cost nothing.
constexpr unsigned AnalysisStackSize = 256u << 20;

std::uint64_t hashContents(llvm::StringRef Text);

/// Parses and analyses one file on the calling thread.
FileResult lintFile(const LintJob &Job, const FileOverlay &Overlay,
                    const LintRequest &Request);

/// Runs all jobs on \p Threads threads; a crash in one is its own alone. The
/// results are in the order of the jobs. \p Cache may be null.
std::vector<FileResult> lintAll(llvm::ArrayRef<LintJob> Jobs,
                                const FileOverlay &Overlay,
                                const LintRequest &Request, unsigned Threads,
                                const ResultCache *Cache = nullptr);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_LINTFILE_H
