//===- Diagnostic.cpp - A finding as plain data ---------------------------===//

#include "spmd/lint/Diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <tuple>

using namespace llvm;
using namespace spmd::lint;

StringRef spmd::lint::severityName(Severity S) {
  constexpr StringLiteral Names[] = {"off", "note", "warning", "error"};
  return Names[static_cast<int>(S)];
}

std::optional<Severity> spmd::lint::parseSeverity(StringRef Name) {
  return StringSwitch<std::optional<Severity>>(Name)
      .Case("off", Severity::Off)
      .Case("note", Severity::Note)
      .Case("warning", Severity::Warning)
      .Case("error", Severity::Error)
      .Default(std::nullopt);
}

StringRef spmd::lint::pathFrom(StringRef Folder, StringRef File) {
  StringRef Below = File;
  if (!Folder.empty() && Below.consume_front(Folder) &&
      Below.consume_front("/") && !Below.empty())
    return Below;
  return File;
}

void spmd::lint::sortAndDeduplicate(std::vector<Diagnostic> &Diagnostics) {
  auto Key = [](const Diagnostic &D) {
    return std::tie(D.Where.File, D.Where.Line, D.Where.Column, D.Check,
                    D.Message);
  };
  // The full comparison last: the order must not depend on which thread
  // finished first.
  llvm::sort(Diagnostics, [&](const Diagnostic &A, const Diagnostic &B) {
    auto KA = Key(A), KB = Key(B);
    if (KA != KB)
      return KA < KB;
    if (A.Fixes.size() != B.Fixes.size())
      return A.Fixes.size() > B.Fixes.size();
    return A < B;
  });
  Diagnostics.erase(llvm::unique(Diagnostics,
                                 [&](const Diagnostic &A, const Diagnostic &B) {
                                   return Key(A) == Key(B);
                                 }),
                    Diagnostics.end());
}
