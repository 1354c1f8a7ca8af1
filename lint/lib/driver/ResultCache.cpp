//===- ResultCache.cpp - Results of earlier runs --------------------------===//

#include "ResultCache.h"

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
void addConfig(Digest &Into, const Config &Cfg, StringRef Root) {
  Into << (Cfg.Strict.Value ? "strict" : "") << Cfg.HeaderFilter.Value
       << pathFrom(Root, Cfg.ProjectRoot);
  for (const auto &[Name, Axis] : Cfg.Mesh)
    Into << Name << utostr(Axis.Value.Axis.Size)
         << (Axis.Value.Axis.Default
                 ? spmd::rules::printAtom(*Axis.Value.Axis.Default)
                 : "");
  for (const auto &[Name, Value] : Cfg.CheckOptions)
    Into << Name << Value.Value;
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

ResultCache::ResultCache(std::string Folder, const char *Program,
                         bool WithAdvice)
    : Folder(std::move(Folder)), ToolIdentity(toolIdentity(Program)) {
  if (ToolIdentity.empty())
    this->Folder.clear();
  else if (WithAdvice)
    ToolIdentity += " with advice";
}

/// The project's folder: what is kept about files in it is good for a copy of
/// it elsewhere. Empty where there is none, or where headers are told apart by
/// whole paths.
static std::string rootOf(const LintJob &Job) {
  if (!Job.Cfg->HeaderFilter.Value.empty())
    return {};
  for (StringRef Folder = sys::path::parent_path(Job.File);
       Folder != sys::path::root_path(Folder);
       Folder = sys::path::parent_path(Folder)) {
    SmallString<256> Git(Folder);
    sys::path::append(Git, ".git");
    if (sys::fs::exists(Git))
      return Folder.str();
  }
  return Job.Cfg->ProjectRoot;
}

/// \p Text with each path that begins with \p Root as seen from there.
static std::string withoutRoot(StringRef Text, StringRef Root) {
  if (Root.empty())
    return Text.str();
  std::string Out;
  for (std::size_t At; (At = Text.find(Root)) != StringRef::npos;) {
    const StringRef After = Text.substr(At + Root.size());
    const bool IsWhole = After.empty() || After.front() == '/';
    Out += Text.take_front(At);
    Out += IsWhole ? "<root>" : Root;
    Text = After;
  }
  return Out + Text.str();
}

std::string ResultCache::entryPath(const LintJob &Job, StringRef Root) const {
  Digest Key;
  Key << ToolIdentity << withoutRoot(Job.File, Root)
      << withoutRoot(Job.Command.Directory, Root);
  for (const std::string &A : Job.Command.Args)
    Key << withoutRoot(A, Root);
  addConfig(Key, *Job.Cfg, Root);
  return entryFile(Folder, Key.str());
}

std::optional<FileResult> ResultCache::find(const LintJob &Job) const {
  if (Folder.empty())
    return std::nullopt;
  const std::string Root = rootOf(Job);
  auto Entry = MemoryBuffer::getFile(entryPath(Job, Root));
  if (!Entry)
    return std::nullopt;
  // Stamps of the files read, then the result.
  StringRef Rest = (*Entry)->getBuffer();
  if (!Stamps.read(Rest, Root))
    return std::nullopt;
  std::optional<FileResult> Result = parseResult(Rest, Root);
  if (Result)
    Result->Cached = true;
  return Result;
}

void ResultCache::store(const LintJob &Job, const FileResult &Result) const {
  if (Folder.empty() || !Result.Analysed || Result.Crashed ||
      !Result.ParseErrors.empty())
    return;
  const std::string Root = rootOf(Job);
  const std::optional<std::string> Head =
      Stamps.write(Result.FilesRead, Result.Begun, Root);
  if (!Head)
    return;
  // What quotes the path of the project is not true of a copy.
  const std::optional<std::string> Body = printResult(Result, Root);
  if (Body && (Root.empty() || !StringRef(*Body).contains(Root)))
    writeEntry(entryPath(Job, Root), *Head + *Body);
}

void ResultCache::prune() const {
  if (Folder.empty())
    return;
  CachePruningPolicy Policy;
  Policy.MaxSizeBytes = 256u << 20;
  pruneCache(Folder, Policy);
}
