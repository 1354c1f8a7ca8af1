//===- MarkdownReport.cpp - A table for a comment or a job's summary ------===//

#include "CoverageReport.h"

#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

/// Text in a cell: source text must not end it, nor become markup.
std::string cell(StringRef Text) {
  std::string Out;
  for (char C : json::fixUTF8(Text)) {
    if (C == '\n') {
      Out += "<br>";
      continue;
    }
    if (StringRef("|\\`*_<>[]").contains(C))
      Out += '\\';
    Out += C;
  }
  return Out;
}

void row(raw_ostream &OS, const Diagnostic &D, const ReportOptions &Options) {
  OS << "| " << severityName(D.Level) << " | "
     << cell(pathFrom(Options.SourceRoot, D.Where.File));
  if (D.Where.Line)
    OS << ':' << D.Where.Line;
  OS << " | " << cell(D.Check) << " | " << cell(D.Message);
  for (const Fix &F : D.Fixes)
    if (F.Preferred)
      OS << "<br>fix: " << cell(F.Description);
  OS << " |\n";
}

void writeMarkdown(raw_ostream &OS, const Report &R, const SourceTexts &,
                   const ReportOptions &Options) {
  OS << "### spmd-tidy: " << findingCounts(R) << "\n";
  if (!R.ParseErrors.empty() || !R.Crashed.empty())
    OS << "\nNot everything was analysed.\n";
  if (!R.Diagnostics.empty() || !R.ParseErrors.empty()) {
    OS << "\n| | where | check | what |\n|---|---|---|---|\n";
    for (const Diagnostic &D : R.ParseErrors)
      row(OS, D, Options);
    for (const Diagnostic &D : R.Diagnostics)
      row(OS, D, Options);
  }
  for (const std::string &File : R.Crashed)
    OS << "\nThe analysis of " << cell(pathFrom(Options.SourceRoot, File))
       << " crashed.\n";
  if (const std::string Line = summaryLine(R); !Line.empty())
    OS << '\n' << cell(Line) << '\n';
}

const ReportFormatRegistration Register({"markdown", writeMarkdown});

} // namespace
