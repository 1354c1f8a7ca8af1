//===- ResultCache.cpp - Results of earlier runs --------------------------===//

#include "ResultCache.h"

#include "ResultText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

/// Parts with their lengths, so that no two lists have one digest.
class Digest {
public:
  Digest &operator<<(StringRef Part) {
    Hash.update((Twine(Part.size()) + ":").str());
    Hash.update(Part);
    return *this;
  }
  std::string str() { return toHex(Hash.final(), /*LowerCase=*/true); }

private:
  SHA256 Hash;
};

std::int64_t nanoseconds(sys::TimePoint<> Time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             Time.time_since_epoch())
      .count();
}

/// "mtime size path", or nothing for a file that is gone or was written after
/// \p Before.
std::optional<std::string> stamp(StringRef Path, std::int64_t Before) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) || Path.contains('\n'))
    return std::nullopt;
  const std::int64_t Written = nanoseconds(Status.getLastModificationTime());
  if (Written >= Before)
    return std::nullopt;
  return (Twine(Written) + " " + Twine(Status.getSize()) + " " + Path).str();
}

constexpr std::int64_t Whenever = std::numeric_limits<std::int64_t>::max();

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
    : Folder(std::move(Folder)) {
  // Another build of the tool may find something else.
  const std::string Self = sys::fs::getMainExecutable(
      Program, reinterpret_cast<void *>(&ResultCache::defaultFolder));
  if (const auto Stamp = stamp(Self, Whenever))
    ToolIdentity = *Stamp;
  else
    this->Folder.clear();
}

std::string ResultCache::entryPath(const LintJob &Job) const {
  Digest Key;
  Key << ToolIdentity << Job.File << Job.Command.Directory;
  for (const std::string &A : Job.Command.Args)
    Key << A;
  addConfig(Key, *Job.Cfg);
  SmallString<256> Path(Folder);
  // The prefix by which LLVM's pruning knows what it may delete.
  sys::path::append(Path, "llvmcache-" + Key.str());
  return Path.str().str();
}

std::optional<FileResult> ResultCache::find(const LintJob &Job) const {
  if (Folder.empty())
    return std::nullopt;
  auto Entry = MemoryBuffer::getFile(entryPath(Job));
  if (!Entry)
    return std::nullopt;
  // Stamps of the files read, an empty line, the result.
  StringRef Rest = (*Entry)->getBuffer();
  while (true) {
    auto [Line, After] = Rest.split('\n');
    Rest = After;
    if (Line.empty())
      break;
    const StringRef Path = Line.split(' ').second.split(' ').second;
    if (stamp(Path, Whenever) != Line)
      return std::nullopt;
  }
  std::optional<FileResult> Result = parseResult(Rest);
  if (Result)
    Result->Cached = true;
  return Result;
}

void ResultCache::store(const LintJob &Job, const FileResult &Result) const {
  if (Folder.empty() || !Result.Analysed || Result.Crashed ||
      !Result.ParseErrors.empty())
    return;
  std::string Text;
  for (const std::string &File : Result.FilesRead) {
    const auto Stamp = stamp(File, nanoseconds(Result.Begun));
    if (!Stamp)
      return;
    Text += *Stamp + "\n";
  }
  const std::optional<std::string> Body = printResult(Result);
  if (!Body || sys::fs::create_directories(Folder))
    return;
  Text += "\n" + *Body;
  // Written beside and renamed: a reader sees a whole entry or none.
  consumeError(writeToOutput(entryPath(Job), [&](raw_ostream &OS) {
    OS << Text;
    return Error::success();
  }));
}

void ResultCache::prune() const {
  if (Folder.empty())
    return;
  CachePruningPolicy Policy;
  Policy.MaxSizeBytes = 256u << 20;
  pruneCache(Folder, Policy);
}
