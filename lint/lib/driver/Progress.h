//===- Progress.h - How far a run is ----------------------------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_PROGRESS_H
#define SPMD_LINT_LIB_DRIVER_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <mutex>
#include <string>

namespace spmd::lint {

enum class ProgressStyle : unsigned char {
  None,
  Bar,   ///< one line on a terminal that is written over
  Lines, ///< one for each file, for programs that show it themselves
};

/// How many files are done, and how long the rest will take if it is like them.
class Progress {
public:
  Progress(std::size_t Files, ProgressStyle Style, std::string WorkingDirectory)
      : Files(Files), Style(Style), Folder(std::move(WorkingDirectory)) {}
  ~Progress();

  /// Safe to call from several threads.
  void finished(llvm::StringRef File);

private:
  using Clock = std::chrono::steady_clock;
  std::string counted(Clock::time_point Now) const;
  void draw(llvm::StringRef Counted, llvm::StringRef File) const;

  std::size_t Files, Done = 0;
  ProgressStyle Style;
  std::string Folder;
  std::mutex Lock;
  Clock::time_point Begun = Clock::now(), Written;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_PROGRESS_H
