//===- Progress.h - How far a run is ----------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_PROGRESS_H
#define SPMD_LINT_LIB_DRIVER_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <mutex>
#include <string>

namespace spmd::lint {

/// One line on a terminal that is written over: how many files are done, and
/// how long the rest will take if it is like them.
class Progress {
public:
  /// Nothing is shown of \p Files unless \p Shown.
  Progress(std::size_t Files, bool Shown, std::string WorkingDirectory)
      : Files(Files), Shown(Shown), Folder(std::move(WorkingDirectory)) {}
  ~Progress();

  /// Safe to call from several threads.
  void finished(llvm::StringRef File);

private:
  using Clock = std::chrono::steady_clock;
  std::size_t Files, Done = 0;
  bool Shown;
  std::string Folder;
  std::mutex Lock;
  Clock::time_point Begun = Clock::now(), Written;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_PROGRESS_H
