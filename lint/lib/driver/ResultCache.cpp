//===- ResultCache.cpp - Results of earlier runs --------------------------===//

#include "ResultCache.h"

#include "CacheEntry.h"
#include "ResultText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

/// What of the configuration the analysis sees; checks and severities only
/// select from its findings.
void addConfig(Digest &Into, const Config &Cfg) {
  Into << (Cfg.Strict.Value ? "strict" : "") << Cfg.HeaderFilter.Value
       << Cfg.ProjectRoot;
  for (const auto &[Name, Axis] : Cfg.Mesh)
    Into << Name << utostr(Axis.Value.Axis.Size)
         << (Axis.Value.Axis.Default
                 ? spmd::rules::printAtom(*Axis.Value.Axis.Default)
                 : "");
  Into << "axes";
  for (const auto &Binding : Cfg.Axes) {
    Into << Binding.Value.Expression;
    for (const std::string &Axis : Binding.Value.Axes)
      Into << Axis;
  }
  Into << "ops";
  for (const auto &Document : Cfg.OpDocuments)
    Into << Document.Value;
  Into << "collectives";
  for (const auto &Document : Cfg.ApiDocuments)
    Into << Document.Value;
}

} // namespace

std::string ResultCache::defaultFolder() {
  SmallString<256> Path;
  if (!sys::path::cache_directory(Path))
    return {};
  sys::path::append(Path, "spmd-tidy");
  return Path.str().str();
}

ResultCache::ResultCache(std::string Folder, const char *Program)
    : Folder(std::move(Folder)), ToolIdentity(toolIdentity(Program)) {
  if (ToolIdentity.empty())
    this->Folder.clear();
}

std::string ResultCache::entryPath(const LintJob &Job) const {
  Digest Key;
  Key << ToolIdentity << Job.File << Job.Command.Directory;
  for (const std::string &A : Job.Command.Args)
    Key << A;
  addConfig(Key, *Job.Cfg);
  return entryFile(Folder, Key.str());
}

std::optional<FileResult> ResultCache::find(const LintJob &Job) const {
  if (Folder.empty())
    return std::nullopt;
  auto Entry = MemoryBuffer::getFile(entryPath(Job));
  if (!Entry)
    return std::nullopt;
  // Stamps of the files read, then the result.
  StringRef Rest = (*Entry)->getBuffer();
  if (!unchangedFiles(Rest))
    return std::nullopt;
  std::optional<FileResult> Result = parseResult(Rest);
  if (Result)
    Result->Cached = true;
  return Result;
}

void ResultCache::store(const LintJob &Job, const FileResult &Result) const {
  if (Folder.empty() || !Result.Analysed || Result.Crashed ||
      !Result.ParseErrors.empty())
    return;
  const std::optional<std::string> Stamps =
      stampFiles(Result.FilesRead, Result.Begun);
  if (!Stamps)
    return;
  if (const std::optional<std::string> Body = printResult(Result))
    writeEntry(entryPath(Job), *Stamps + *Body);
}

void ResultCache::prune() const {
  if (Folder.empty())
    return;
  CachePruningPolicy Policy;
  Policy.MaxSizeBytes = 256u << 20;
  pruneCache(Folder, Policy);
}
