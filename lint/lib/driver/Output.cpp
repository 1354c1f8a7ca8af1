//===- Output.cpp - What a run prints -------------------------------------===//

#include "Output.h"

#include "Repository.h"

#include "report/CoverageReport.h"

#include "spmd/lint/Fixes.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace llvm;
using namespace spmd::lint;

ReportOptions spmd::lint::reportOptions(const Options &Opts, bool ToTerminal) {
  ReportOptions O;
  O.ExplainFindings = Opts.ExplainFindings;
  O.Colors = Opts.Color == ColorMode::Always ||
             (Opts.Color == ColorMode::Auto && ToTerminal &&
              !sys::Process::GetEnv("NO_COLOR"));
  O.WorkingDirectory = Opts.WorkingDirectory;
  O.SourceRoot = repositoryRoot(Opts.WorkingDirectory);
  if (O.SourceRoot.empty())
    O.SourceRoot = Opts.WorkingDirectory;
  O.CheckPages = Opts.CheckPages;
  return O;
}

void spmd::lint::printDiff(const Options &Opts, const FileOverlay &Before,
                           const FileOverlay &After) {
  std::vector<StringRef> Changed;
  for (const auto &[File, Old] : Before)
    if (After.at(File) != Old)
      Changed.push_back(File);
  const std::string Folder = diffFolder(Opts.WorkingDirectory, Changed);
  for (StringRef File : Changed) {
    const StringRef Name =
        Folder == "/" ? File.drop_front() : pathFrom(Folder, File);
    outs() << unifiedDiff(Name, Before.at(File.str()), After.at(File.str()));
  }
  if (!Changed.empty() && Folder != Opts.WorkingDirectory && !Opts.Quiet)
    errs() << "spmd-tidy: the diff is to be applied in " << Folder << '\n';
}

namespace {

/// Beyond this many, a file's errors say nothing new; nor do those of all that
/// a source includes, or more files with such.
constexpr unsigned MaxErrorsPerFile = 20, MaxErrors = 60, MaxFilesNamed = 5;

/// The errors that come from missing headers are shown alone: the others follow
/// from them.
void writeParseErrors(ArrayRef<Diagnostic> Errors, bool OnlyMissingHeaders,
                      const SourceTexts &Texts, const ReportOptions &Options) {
  std::map<StringRef, unsigned> Hidden;
  std::map<StringRef, unsigned> Shown;
  unsigned AllShown = 0, AllHidden = 0;
  for (const Diagnostic &D : Errors) {
    const bool Missing = StringRef(D.Message).ends_with("file not found");
    if ((OnlyMissingHeaders && !Missing && D.Where.Line) ||
        Shown[D.Where.File] == MaxErrorsPerFile || AllShown == MaxErrors) {
      ++Hidden[D.Where.File];
      ++AllHidden;
      continue;
    }
    ++Shown[D.Where.File];
    ++AllShown;
    writeText(errs(), D, Texts, Options);
  }
  if (Hidden.size() > MaxFilesNamed) {
    errs() << "spmd-tidy: note: " << AllHidden << " more errors in "
           << Hidden.size() << " files\n";
    return;
  }
  for (auto [File, Count] : Hidden)
    errs() << pathFrom(Options.WorkingDirectory, File) << ": note: " << Count
           << " more error" << (Count == 1 ? "" : "s")
           << (OnlyMissingHeaders ? " after the missing header\n" : "\n");
}

std::string whyHeaderIsMissing(const Options &Opts, const LintJob &Job) {
  if (Job.Command.From == "--")
    return "the flags after -- do not say where it is: add -I or -isystem";
  if (Opts.BuildPath.empty() && databaseOf(Job.File).empty())
    return "no compile_commands.json was found above " + Job.File +
           ": pass -p <dir>, or flags after --, or set ExtraArgs in .spmd-tidy";
  const std::string Doubt =
      Opts.BuildPath.empty() ? doubtOfCommands(Job.File) : "";
  return Doubt.empty()
             ? "the compile command of " + Job.File +
                   " does not say where it is; is the database up to date?"
             : Doubt;
}

/// What to do about headers that were not found, once for all files whose
/// commands come from the same place.
void explainMissingHeaders(const Options &Opts, ArrayRef<LintJob> Jobs,
                           ArrayRef<FileResult> Results) {
  std::map<StringRef, std::string> Hints;
  for (auto [Job, R] : llvm::zip(Jobs, Results))
    if (!R.MissingHeaders.empty())
      Hints[Job.Command.From] = whyHeaderIsMissing(Opts, Job);
  for (const auto &[From, Hint] : Hints)
    errs() << "spmd-tidy: a header is missing, so code that depends on it is "
              "not analysed; "
           << Hint << '\n';
}

bool writeReportFile(const Options &Opts, const FormatRequest &F,
                     const Report &R, const SourceTexts &Texts) {
  std::error_code EC;
  raw_fd_ostream OS(F.File, EC);
  if (!EC) {
    findReportFormat(F.Name)->Write(OS, R, Texts, reportOptions(Opts, false));
    OS.flush();
    EC = OS.error();
    OS.clear_error();
  }
  if (EC)
    errs() << "spmd-tidy: error: cannot write " << F.File << ": "
           << EC.message() << '\n';
  return !EC;
}

void writeStats(const RunStats &S) {
  const double Share =
      S.ParseSeconds > 0 ? 100 * S.AnalysisSeconds / S.ParseSeconds : 0;
  errs() << format("files: %u (with errors: %u, crashed: %u, cached: %u)\n",
                   S.Files, S.FilesWithErrors, S.FilesCrashed, S.FilesCached)
         << format("functions: %u (not analysed: %u, collectives not all "
                   "looked at: %u)\n",
                   S.Functions, S.NotAnalysed, S.NotFollowed)
         << format("facts: %u (visits: %u)\n", S.Facts, S.FactsVisited)
         << format("findings suppressed: %u\n", S.Suppressed)
         << format("parse: %.3f s\n", S.ParseSeconds)
         << format("analysis: %.3f s, %.1f%% of the parse (lowering: %.3f s, "
                   "inference: %.3f s, collectives: %.3f s)\n",
                   S.AnalysisSeconds, Share, S.LoweringSeconds,
                   S.InferenceSeconds, S.CollectivesSeconds);
}

} // namespace

bool spmd::lint::writeOutput(const Options &Opts, ArrayRef<LintJob> Jobs,
                             ArrayRef<FileResult> Results, Findings &Found,
                             const SourceTexts &Texts) {
  const ReportOptions ErrOptions = reportOptions(Opts, errs().is_displayed());
  const bool MissingHeaders = llvm::any_of(
      Results, [](const FileResult &R) { return !R.MissingHeaders.empty(); });
  writeParseErrors(Found.Found.ParseErrors, MissingHeaders, Texts, ErrOptions);
  if (!Opts.Quiet)
    explainMissingHeaders(Opts, Jobs, Results);
  for (const std::string &File : Found.Found.Crashed)
    errs() << "spmd-tidy: error: " << pathFrom(Opts.WorkingDirectory, File)
           << ": the analysis crashed; the other files are not affected\n";

  bool StdoutTaken =
      Opts.FixDryRun || Opts.DumpIR || Opts.DumpTypes != DumpFormat::None;
  for (const FormatRequest &F : Opts.Formats)
    StdoutTaken |= F.File.empty() && F.Name != "text";
  for (const FileResult &R : Results)
    for (const LintResult *L : {&R.Lint, &R.Program})
      outs() << L->IRDump << L->TypeDump;

  Found.Found.Stats.WithTimes = Opts.Stats;
  bool Ok = true, TextWritten = false;
  auto WriteTo = [&](raw_fd_ostream &OS, StringRef Format) {
    OS.enable_colors(Opts.Color != ColorMode::Never);
    findReportFormat(Format)->Write(OS, Found.Found, Texts,
                                    reportOptions(Opts, OS.is_displayed()));
  };
  for (const FormatRequest &F : Opts.Formats) {
    TextWritten |= F.Name == "text";
    if (!F.File.empty())
      Ok &= writeReportFile(Opts, F, Found.Found, Texts);
    else
      WriteTo(F.Name == "text" && StdoutTaken ? errs() : outs(), F.Name);
  }
  if (!TextWritten)
    WriteTo(StdoutTaken ? errs() : outs(), "text");

  if (Opts.SummariseCoverage)
    writeCoverage(StdoutTaken ? errs() : outs(), Found.Found,
                  Opts.WorkingDirectory);
  // What a run without findings is worth; reports for programs have it inside.
  const bool IsDump = Opts.DumpIR || Opts.DumpTypes != DumpFormat::None;
  if (const std::string Line = summaryLine(Found.Found);
      !Line.empty() && !Opts.Quiet && !IsDump &&
      (Opts.Formats.empty() || TextWritten)) {
    outs().flush();
    errs() << Line << '\n';
  }

  if (!Opts.ExportFixes.empty()) {
    std::error_code EC;
    raw_fd_ostream OS(Opts.ExportFixes, EC);
    if (EC) {
      errs() << "spmd-tidy: error: cannot write " << Opts.ExportFixes << ": "
             << EC.message() << '\n';
      Ok = false;
    } else {
      writeExportedFixes(OS, Found.Found.Diagnostics);
    }
  }
  if (Opts.Stats) {
    writeStats(Found.Found.Stats);
    if (!Opts.SummariseCoverage)
      writeCoverage(errs(), Found.Found, Opts.WorkingDirectory);
  }
  return Ok;
}
