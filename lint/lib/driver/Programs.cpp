//===- Programs.cpp - Files analysed together -----------------------------===//

#include "Programs.h"

#include "spmd/lint/Lint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

struct Group {
  const Config *Cfg = nullptr;
  std::size_t First = 0;
  std::vector<std::shared_ptr<const ProgramUnit>> Units;

  bool takes(const Config &C) const {
    return Cfg->mesh() == C.mesh() && Cfg->Strict.Value == C.Strict.Value;
  }
};

} // namespace

void spmd::lint::lintPrograms(ArrayRef<LintJob> Jobs,
                              std::vector<FileResult> &Results,
                              const LintRequest &Request) {
  std::vector<Group> Groups;
  for (std::size_t I = 0; I != Jobs.size(); ++I) {
    Results[I].Program = LintResult();
    if (!Results[I].Lint.Unit)
      continue;
    auto G = llvm::find_if(
        Groups, [&](const Group &X) { return X.takes(*Jobs[I].Cfg); });
    if (G == Groups.end())
      G = Groups.insert(G, {Jobs[I].Cfg.get(), I, {}});
    G->Units.push_back(Results[I].Lint.Unit);
  }
  for (const Group &G : Groups) {
    FileResult &Into = Results[G.First];
    CrashRecoveryContext Recovery;
    Into.Crashed |= !Recovery.RunSafelyOnThread(
        [&] { Into.Program = lintProgram(G.Units, *G.Cfg, Request); },
        AnalysisStackSize);
  }
}
