//===- Options.h - The command line of spmd-tidy ----------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_OPTIONS_H
#define SPMD_LINT_LIB_DRIVER_OPTIONS_H

#include "spmd/lint/ConfigFile.h"
#include "spmd/lint/LintResult.h"

namespace spmd::lint {

enum class FixMode : unsigned char { None, Safe, Unsafe };

/// `--format=json:report.json`
struct FormatRequest {
  std::string Name;
  std::string File; ///< empty: standard output
};

struct Options {
  std::string WorkingDirectory; ///< what is printed names files from there
  std::vector<std::string> Inputs;
  std::optional<std::vector<std::string>> CompilerFlags; ///< after `--`
  std::string BuildPath;
  ConfigOverrides Config;
  Severity FailOn = Severity::Warning;
  FixMode Fix = FixMode::None;
  bool FixDryRun = false;
  bool Autoshard = false;
  std::string ExportFixes;
  std::vector<FormatRequest> Formats;
  unsigned Jobs = 0;       ///< 0: one per processor
  std::string CacheFolder; ///< empty: the user's
  bool NoCache = false;
  bool Stdin = false;
  std::string StdinFilename;
  DumpFormat DumpTypes = DumpFormat::None;
  bool DumpIR = false;
  bool WholeProgram = false;
  std::string ShowConfig, Explain, ExplainOp, ExplainPlan, Mesh;
  /// --suggest-sharding; the mesh is Mesh.
  std::optional<SuggestRequest> Suggest;
  std::map<std::string, std::int64_t> Sizes;
  std::string Batch;
  bool ExplainFindings = false;
  bool ListChecks = false, ListRules = false, Stats = false;
  bool SummariseCoverage = false;
  bool Help = false, Version = false;

  FixMode fixMode() const {
    return FixDryRun || Autoshard ? std::max(Fix, FixMode::Safe) : Fix;
  }
};

/// The message of an error is one line without "error:".
llvm::Expected<Options> parseOptions(llvm::ArrayRef<const char *> Args);

void printHelp(llvm::raw_ostream &OS);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_OPTIONS_H
