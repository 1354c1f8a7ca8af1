//===- GitlabReport.cpp - GitLab's Code Quality report --------------------===//

#include "Fingerprint.h"

#include "spmd/lint/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

/// The words that GitLab sorts by.
StringRef degreeOf(Severity Level) {
  return Level == Severity::Error     ? "major"
         : Level == Severity::Warning ? "minor"
                                      : "info";
}

void write(json::OStream &J, const Diagnostic &D, StringRef Print,
           StringRef Degree, const ReportOptions &Options) {
  J.object([&] {
    J.attribute("description", json::fixUTF8(D.Message));
    J.attribute("check_name", json::fixUTF8(D.Check));
    J.attribute("fingerprint", Print);
    J.attribute("severity", Degree);
    J.attributeObject("location", [&] {
      J.attribute("path",
                  json::fixUTF8(pathFrom(Options.SourceRoot, D.Where.File)));
      J.attributeObject("lines", [&] {
        // A file as a whole is shown at its first line.
        J.attribute("begin", std::max(1u, D.Where.Line));
      });
    });
  });
}

void writeGitlab(raw_ostream &OS, const Report &R, const SourceTexts &Texts,
                 const ReportOptions &Options) {
  json::OStream J(OS, /*IndentSize=*/2);
  J.array([&] {
    for (auto [D, Print] :
         llvm::zip(R.ParseErrors, fingerprints(R.ParseErrors, Texts)))
      write(J, D, Print, "blocker", Options);
    for (auto [D, Print] :
         llvm::zip(R.Diagnostics, fingerprints(R.Diagnostics, Texts)))
      write(J, D, Print, degreeOf(D.Level), Options);
  });
  J.flush();
  OS << '\n';
}

const ReportFormatRegistration Register({"gitlab", writeGitlab});

} // namespace
