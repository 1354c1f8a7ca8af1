//===- GithubReport.cpp - Workflow commands of GitHub Actions -------------===//
//
// Each line becomes a note in the changed files of a pull request. GitHub shows
// ten of each level for a step; the text report in the log has all.
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/Report.h"

#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

/// What a workflow command would take for its own ends.
std::string escaped(StringRef Text, bool InProperty) {
  std::string Out;
  for (char C : json::fixUTF8(Text)) {
    if (C == '%')
      Out += "%25";
    else if (C == '\r')
      Out += "%0D";
    else if (C == '\n')
      Out += "%0A";
    else if (InProperty && C == ':')
      Out += "%3A";
    else if (InProperty && C == ',')
      Out += "%2C";
    else
      Out += C;
  }
  return Out;
}

StringRef commandOf(Severity Level) {
  return Level == Severity::Error     ? "error"
         : Level == Severity::Warning ? "warning"
                                      : "notice";
}

void write(raw_ostream &OS, const Diagnostic &D, const ReportOptions &Options) {
  const auto Shown = [&](const Place &P) {
    return (pathFrom(Options.SourceRoot, P.File) + ":" + Twine(P.Line) + ":" +
            Twine(P.Column))
        .str();
  };
  OS << "::" << commandOf(D.Level)
     << " file=" << escaped(pathFrom(Options.SourceRoot, D.Where.File), true);
  if (D.Where.Line)
    OS << ",line=" << D.Where.Line << ",col=" << D.Where.Column;
  std::string Text = D.Message;
  for (const Note &N : D.Notes)
    Text += "\n" + Shown(N.Where) + ": " + N.Message;
  for (const Fix &F : D.Fixes)
    if (F.Preferred)
      Text += "\nfix: " + F.Description;
  OS << ",title=" << escaped(D.Check, true) << "::" << escaped(Text, false)
     << '\n';
}

void writeGithub(raw_ostream &OS, const Report &R, const SourceTexts &,
                 const ReportOptions &Options) {
  for (const Diagnostic &D : R.ParseErrors)
    write(OS, D, Options);
  for (const std::string &File : R.Crashed)
    OS << "::error file=" << escaped(pathFrom(Options.SourceRoot, File), true)
       << "::the analysis crashed\n";
  for (const Diagnostic &D : R.Diagnostics)
    write(OS, D, Options);
}

const ReportFormatRegistration Register({"github", writeGithub});

} // namespace
