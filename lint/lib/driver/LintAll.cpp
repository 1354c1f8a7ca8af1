//===- LintAll.cpp - Many files, several threads --------------------------===//

#include "LibraryPrefix.h"
#include "Progress.h"
#include "ResultCache.h"

#include "llvm/Support/CrashRecoveryContext.h"

#include <atomic>
#include <thread>

using namespace llvm;
using namespace spmd::lint;

static FileResult lintSafely(const LintJob &Job, const FileOverlay &Overlay,
                             const LintRequest &Request,
                             PrefixCache &Prefixes) {
  FileResult Out;
  CrashRecoveryContext Recovery;
  if (Recovery.RunSafelyOnThread(
          [&] { Out = lintFile(Job, Overlay, Request, &Prefixes); },
          AnalysisStackSize))
    return Out;
  // What a crashed thread left in Out is not to be trusted.
  FileResult Crash;
  Crash.Crashed = true;
  return Crash;
}

std::vector<FileResult>
spmd::lint::lintAll(ArrayRef<LintJob> Jobs, const FileOverlay &Overlay,
                    const LintRequest &Request, unsigned Threads,
                    PrefixCache &Prefixes, const ResultCache *Cache,
                    Progress *Shown) {
  CrashRecoveryContext::Enable();
  Prefixes.expect(Jobs, Overlay);
  std::vector<FileResult> Results(Jobs.size());
  std::atomic<std::size_t> Next = 0;
  auto Work = [&] {
    for (std::size_t I; (I = Next++) < Jobs.size();) {
      if (Cache)
        if (std::optional<FileResult> Known = Cache->find(Jobs[I])) {
          Results[I] = std::move(*Known);
          if (Shown)
            Shown->finished(Jobs[I].File);
          continue;
        }
      Results[I] = lintSafely(Jobs[I], Overlay, Request, Prefixes);
      if (Cache)
        Cache->store(Jobs[I], Results[I]);
      if (Shown)
        Shown->finished(Jobs[I].File);
    }
  };
  std::vector<std::thread> Workers;
  for (unsigned I = 1; I < Threads && I < Jobs.size(); ++I)
    Workers.emplace_back(Work);
  Work();
  for (std::thread &W : Workers)
    W.join();
  return Results;
}
