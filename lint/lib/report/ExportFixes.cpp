//===- ExportFixes.cpp - For clang-apply-replacements ---------------------===//

#include "spmd/lint/Fixes.h"
#include "spmd/lint/Report.h"

#include "clang/Tooling/DiagnosticsYaml.h"

using namespace llvm;
using namespace clang::tooling;
using namespace spmd::lint;

static DiagnosticMessage message(StringRef Text, const Place &Where) {
  DiagnosticMessage M(Text);
  M.FilePath = Where.File;
  M.FileOffset = Where.Offset;
  return M;
}

static void addEdits(DiagnosticMessage &M, const Fix &F) {
  for (const Edit &E : F.Edits)
    // Edits of one repair do not overlap, so none is refused.
    cantFail(
        M.Fix[E.File].add(Replacement(E.File, E.Offset, E.Length, E.Text)));
}

void spmd::lint::writeExportedFixes(
    raw_ostream &OS, ArrayRef<spmd::lint::Diagnostic> Diagnostics) {
  TranslationUnitDiagnostics Out;
  for (const spmd::lint::Diagnostic &D : Diagnostics) {
    clang::tooling::Diagnostic Exported;
    Exported.DiagnosticName = D.Check;
    Exported.DiagLevel = D.Level == Severity::Error
                             ? clang::tooling::Diagnostic::Error
                             : clang::tooling::Diagnostic::Warning;
    Exported.Message = message(D.Message, D.Where);
    for (const Note &N : D.Notes)
      Exported.Notes.push_back(message(N.Message, N.Where));
    // The tool that applies the file takes the message's own repair; the
    // others go with notes, where editors offer them.
    for (const Fix &F : D.Fixes) {
      if (F.Preferred && Exported.Message.Fix.empty()) {
        addEdits(Exported.Message, F);
        continue;
      }
      Exported.Notes.push_back(message(F.Description, D.Where));
      addEdits(Exported.Notes.back(), F);
    }
    Out.Diagnostics.push_back(std::move(Exported));
  }
  yaml::Output YAML(OS);
  YAML << Out;
}
