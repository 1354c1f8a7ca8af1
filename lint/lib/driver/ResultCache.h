//===- ResultCache.h - Results of earlier runs ------------------*- C++ -*-===//
//
// An entry answers for a file when the tool, the compile command, the
// configuration and every file that Clang read have the contents that they had:
// ages do not matter, nor where the project's folder or the cache lies. A
// header that is new in a folder searched earlier is not noticed, as in
// compiler caches.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LIB_DRIVER_RESULTCACHE_H
#define SPMD_LINT_LIB_DRIVER_RESULTCACHE_H

#include "CacheEntry.h"
#include "LintFile.h"

namespace spmd::lint {

class ResultCache {
public:
  /// Where entries go by default: `spmd-tidy` in the user's cache folder.
  /// Empty when there is none.
  static std::string defaultFolder();

  /// Nothing is cached with an empty \p Folder. \p Program is argv[0]. Results
  /// with advice are others.
  ResultCache(std::string Folder, const char *Program, bool WithAdvice);

  /// Safe to call from several threads.
  std::optional<FileResult> find(const LintJob &Job) const;
  /// Keeps \p Result if it is whole and no file changed since it was begun. A
  /// folder that cannot be written caches nothing.
  void store(const LintJob &Job, const FileResult &Result) const;
  /// Removes the entries used longest ago when there are too many.
  void prune() const;

private:
  std::string entryPath(const LintJob &Job, llvm::StringRef Root) const;

  std::string Folder;
  std::string ToolIdentity;
  mutable FileStamps Stamps;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_RESULTCACHE_H
