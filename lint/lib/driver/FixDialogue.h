//===- FixDialogue.h - --fix-interactive ------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_FIXDIALOGUE_H
#define SPMD_LINT_LIB_DRIVER_FIXDIALOGUE_H

#include "spmd/lint/Report.h"

#include <map>

namespace spmd::lint {

/// Shows each finding with what its repair would change, and asks on standard
/// input whether to make it. An answer holds for the run.
class FixDialogue {
public:
  FixDialogue(llvm::raw_ostream &OS, ReportOptions Options)
      : OS(OS), Options(std::move(Options)) {}

  /// \p F is the repair of \p D.
  bool wants(const Diagnostic &D, const Fix &F, const SourceTexts &Texts);

private:
  void preview(const Diagnostic &D, const Fix &F, const SourceTexts &Texts);
  bool ask();

  llvm::raw_ostream &OS;
  ReportOptions Options;
  std::map<std::string, bool> Answers;
  bool All = false, Quit = false;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_FIXDIALOGUE_H
