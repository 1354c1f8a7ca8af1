//===- Report.h - Rendering findings ----------------------------*- C++ -*-===//
//
// One format is one file in lib/report, registered by name.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_REPORT_H
#define SPMD_LINT_REPORT_H

#include "spmd/lint/Diagnostic.h"
#include "spmd/lint/LintResult.h"
#include "spmd/lint/SourceTexts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace spmd::lint {

/// Counts of a whole run; times only when they were asked for, so that a report
/// of the same sources is the same text.
struct RunStats {
  unsigned Files = 0;
  unsigned FilesWithErrors = 0; ///< could not be parsed, wholly or in part
  unsigned FilesCrashed = 0;
  unsigned FilesCached = 0; ///< answered by an earlier run, with its times
  unsigned Functions = 0;
  unsigned NotAnalysed = 0;
  unsigned NotFollowed = 0;
  unsigned Facts = 0;
  unsigned FactsVisited = 0;
  unsigned UntypedCollectives = 0; ///< in files that name no axis
  unsigned Suppressed = 0;
  bool WithTimes = false;
  double ParseSeconds = 0;
  double AnalysisSeconds = 0;
  double LoweringSeconds = 0;
  double InferenceSeconds = 0;
  double CollectivesSeconds = 0;
};

/// An entry of `Axes` that no code of the run has by that name.
struct UnusedAxis {
  std::string Expression;
  Origin From;
};

struct Report {
  std::vector<std::string> Files; ///< what was asked for
  std::vector<Diagnostic> Diagnostics;
  std::vector<Diagnostic> ParseErrors; ///< each once
  std::vector<std::string> Crashed;    ///< files
  RunStats Stats;
  Coverage Covered; ///< each function once
  std::vector<UnusedAxis> UnusedAxes;
  unsigned InBaseline = 0;       ///< findings left out: known ones
  unsigned OnUnchangedLines = 0; ///< and those that --diff does not ask for
};

struct ReportOptions {
  bool Colors = false;
  std::string WorkingDirectory; ///< text shows paths below it relative to it
  /// The repository's root, from which code hosts name files; the working
  /// directory where there is no repository.
  std::string SourceRoot;
  bool ExplainFindings = false; ///< text: each finding in numbers
  std::string CheckPages;       ///< the folder that has them; empty without
};

struct ReportFormat {
  llvm::StringRef Name;
  void (*Write)(llvm::raw_ostream &, const Report &, const SourceTexts &,
                const ReportOptions &);
};

class ReportFormatRegistration {
public:
  explicit ReportFormatRegistration(const ReportFormat &Format);
};

llvm::ArrayRef<ReportFormat> reportFormats(); ///< sorted by name
const ReportFormat *findReportFormat(llvm::StringRef Name);

/// One diagnostic in Clang's own format, with its source line, caret, notes
/// and repairs.
void writeText(llvm::raw_ostream &OS, const Diagnostic &D,
               const SourceTexts &Texts, const ReportOptions &Options);

/// The findings' repairs in the format of clang-apply-replacements.
void writeExportedFixes(llvm::raw_ostream &OS,
                        llvm::ArrayRef<Diagnostic> Diagnostics);

} // namespace spmd::lint

#endif // SPMD_LINT_REPORT_H
