//===- Analysis.h - The latest analysis of each file ------------*- C++ -*-===//

#ifndef SPMD_EDITOR_ANALYSIS_H
#define SPMD_EDITOR_ANALYSIS_H

#include "spmd/lint/LintResult.h"

#include <map>
#include <memory>
#include <mutex>

namespace spmd::editor {

/// What a server has found in one text of a file.
struct Analysis {
  std::string File; ///< absolute
  std::string Text;
  std::vector<lint::Diagnostic> Diagnostics;
  lint::Insight Known;
  lint::Coverage Covered;
  std::string Mesh; ///< "dp=8, tp=4"; empty when .spmd-tidy has none
};

/// Written by the server's threads, read by the session's.
class Analyses {
public:
  void put(Analysis A) {
    auto Shared = std::make_shared<const Analysis>(std::move(A));
    const std::lock_guard<std::mutex> Lock(Guard);
    ByFile[Shared->File] = Shared;
  }
  /// Null before the first one.
  std::shared_ptr<const Analysis> get(const std::string &File) const {
    const std::lock_guard<std::mutex> Lock(Guard);
    const auto It = ByFile.find(File);
    return It == ByFile.end() ? nullptr : It->second;
  }
  void drop(const std::string &File) {
    const std::lock_guard<std::mutex> Lock(Guard);
    ByFile.erase(File);
  }

private:
  mutable std::mutex Guard;
  std::map<std::string, std::shared_ptr<const Analysis>> ByFile;
};

} // namespace spmd::editor

#endif // SPMD_EDITOR_ANALYSIS_H
