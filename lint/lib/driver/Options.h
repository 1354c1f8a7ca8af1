//===- Options.h - The command line of spmd-tidy ----------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_OPTIONS_H
#define SPMD_LINT_LIB_DRIVER_OPTIONS_H

#include "spmd/lint/ConfigFile.h"
#include "spmd/lint/LintResult.h"

namespace spmd::lint {

enum class ColorMode : unsigned char { Auto, Always, Never };
enum class FixMode : unsigned char { None, Safe, Unsafe };

/// `--format=json:report.json`
struct FormatRequest {
  std::string Name;
  std::string File; ///< empty: standard output
};

struct Options {
  std::string WorkingDirectory; ///< what is printed names files from there
  std::string CheckPages;       ///< the folder with a page for each check
  std::vector<std::string> Inputs;
  std::optional<std::vector<std::string>> CompilerFlags; ///< after `--`
  std::string BuildPath;
  ConfigOverrides Config;
  Severity FailOn = Severity::Warning;
  FixMode Fix = FixMode::None;
  bool FixDryRun = false, FixInteractive = false;
  bool Autoshard = false;
  std::string ExportFixes;
  std::vector<FormatRequest> Formats;
  std::optional<std::string> Diff; ///< --diff; empty: since the last commit
  std::string BaselineFile;
  bool UpdateBaseline = false;
  ColorMode Color = ColorMode::Auto;
  bool Quiet = false, Progress = false;
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
  bool Help = false, Version = false, ManPage = false;
  std::string Completions; ///< the shell

  FixMode fixMode() const {
    return FixDryRun || Autoshard ? std::max(Fix, FixMode::Safe) : Fix;
  }
};

/// One option. The table of all is the one definition of the command line: the
/// parser, --help, the manual page and the shells' completions read it.
struct OptionSpec {
  llvm::StringRef Name; ///< without dashes
  enum class Value : unsigned char { None, Required, Optional } Takes;
  /// What the value is; "a|b" where it is one of these.
  llvm::StringRef Metavar;
  llvm::StringRef Help;
  /// Returns what is wrong, or an empty string.
  std::string (*Set)(Options &, llvm::StringRef);

  std::string dashed() const;   ///< "-p", "--fix"
  std::string spelling() const; ///< "--format=<name[:file]>"
};

llvm::ArrayRef<OptionSpec> optionTable();

/// The message of an error is one line without "error:".
llvm::Expected<Options> parseOptions(llvm::ArrayRef<const char *> Args);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_OPTIONS_H
