//===- JsonReport.cpp - Findings for programs -----------------------------===//

#include "CoverageReport.h"

#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

/// Paths and messages may quote source text, which need not be UTF-8.
json::Value text(StringRef S) { return json::fixUTF8(S); }

void writePlace(json::OStream &J, const Place &P) {
  J.attribute("file", text(P.File));
  J.attribute("line", P.Line);
  J.attribute("column", P.Column);
}

void writeFix(json::OStream &J, const Fix &F) {
  J.object([&] {
    J.attribute("description", text(F.Description));
    J.attribute("preferred", F.Preferred);
    J.attribute("safe", F.Safe);
    if (!F.Cost.empty())
      J.attribute("cost", text(F.Cost));
    J.attributeArray("edits", [&] {
      for (const Edit &E : F.Edits)
        J.object([&] {
          J.attribute("file", text(E.File));
          J.attribute("offset", E.Offset);
          J.attribute("length", E.Length);
          J.attribute("text", text(E.Text));
        });
    });
  });
}

void writeDiagnostic(json::OStream &J, const Diagnostic &D) {
  J.object([&] {
    J.attribute("check", text(D.Check));
    J.attribute("severity", severityName(D.Level));
    writePlace(J, D.Where);
    J.attribute("message", text(D.Message));
    if (!D.Witness.empty())
      J.attribute("witness", text(D.Witness));
    J.attributeArray("notes", [&] {
      for (const Note &N : D.Notes)
        J.object([&] {
          writePlace(J, N.Where);
          J.attribute("message", text(N.Message));
        });
    });
    J.attributeArray("fixes", [&] {
      for (const Fix &F : D.Fixes)
        writeFix(J, F);
    });
  });
}

/// Files of which not all was looked at must not look clean.
void writeUnread(json::OStream &J, const Report &R) {
  J.attributeArray("parseErrors", [&] {
    for (const Diagnostic &D : R.ParseErrors)
      J.object([&] {
        writePlace(J, D.Where);
        J.attribute("message", text(D.Message));
      });
  });
  J.attributeArray("crashed", [&] {
    for (const std::string &File : R.Crashed)
      J.value(text(File));
  });
}

void writeStats(json::OStream &J, const RunStats &S) {
  J.attribute("files", S.Files);
  J.attribute("filesWithErrors", S.FilesWithErrors);
  J.attribute("filesCrashed", S.FilesCrashed);
  J.attribute("functions", S.Functions);
  J.attribute("notAnalysed", S.NotAnalysed);
  J.attribute("notFollowed", S.NotFollowed);
  J.attribute("facts", S.Facts);
  J.attribute("suppressed", S.Suppressed);
  if (!S.WithTimes)
    return;
  J.attribute("filesCached", S.FilesCached);
  J.attribute("factsVisited", S.FactsVisited);
  J.attribute("parseSeconds", S.ParseSeconds);
  J.attribute("analysisSeconds", S.AnalysisSeconds);
  J.attribute("loweringSeconds", S.LoweringSeconds);
  J.attribute("inferenceSeconds", S.InferenceSeconds);
  J.attribute("collectivesSeconds", S.CollectivesSeconds);
}

void writeJson(raw_ostream &OS, const Report &R, const SourceTexts &,
               const ReportOptions &) {
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] {
    J.attribute("version", 1);
    J.attributeArray("diagnostics", [&] {
      for (const Diagnostic &D : R.Diagnostics)
        writeDiagnostic(J, D);
    });
    writeUnread(J, R);
    J.attributeObject("stats", [&] { writeStats(J, R.Stats); });
    J.attributeObject("coverage", [&] { writeCoverage(J, R); });
  });
  J.flush();
  OS << '\n';
}

const ReportFormatRegistration Register({"json", writeJson});

} // namespace
