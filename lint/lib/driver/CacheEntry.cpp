//===- CacheEntry.cpp - What names an entry and makes it stale ------------===//

#include "CacheEntry.h"

#include "spmd/lint/Diagnostic.h"

#include "clang/Basic/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace spmd::lint;

Digest &Digest::operator<<(StringRef Part) {
  Hash.update((Twine(Part.size()) + ":").str());
  Hash.update(Part);
  return *this;
}

std::string Digest::str() { return toHex(Hash.final(), /*LowerCase=*/true); }

std::string spmd::lint::pathBelow(StringRef Folder, StringRef Path) {
  if (Folder.empty() || Path.empty() || Path.front() == '/')
    return Path.str();
  return (Folder + "/" + Path).str();
}

static std::optional<std::string> digestOf(StringRef Path) {
  auto Text = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!Text)
    return std::nullopt;
  const XXH128_hash_t Hash =
      xxh3_128bits(arrayRefFromStringRef((*Text)->getBuffer()));
  return utohexstr(Hash.high64) + "-" + utohexstr(Hash.low64);
}

std::optional<FileStamps::Known> FileStamps::find(const std::string &Path) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) || StringRef(Path).contains('\n'))
    return std::nullopt;
  Known Now{Status.getLastModificationTime(), Status.getSize(), ""};
  {
    std::lock_guard Guard(Lock);
    if (auto It = Files.find(Path); It != Files.end() &&
                                    It->second.Written == Now.Written &&
                                    It->second.Size == Now.Size)
      return It->second;
  }
  std::optional<std::string> Digest = digestOf(Path);
  if (!Digest)
    return std::nullopt;
  Now.Digest = std::move(*Digest);
  std::lock_guard Guard(Lock);
  return Files[Path] = std::move(Now);
}

std::optional<std::string> FileStamps::write(ArrayRef<std::string> Paths,
                                             sys::TimePoint<> Before,
                                             StringRef Root) {
  std::string Text;
  for (const std::string &Path : Paths) {
    const std::optional<Known> Now = find(Path);
    if (!Now || Now->Written >= Before)
      return std::nullopt;
    Text += (Now->Digest + " " + pathFrom(Root, Path) + "\n").str();
  }
  return Text + "\n";
}

std::optional<std::vector<std::string>> FileStamps::read(StringRef &Entry,
                                                         StringRef Root) {
  std::vector<std::string> Out;
  while (true) {
    auto [Line, After] = Entry.split('\n');
    Entry = After;
    if (Line.empty())
      return Out;
    const auto [Digest, Path] = Line.split(' ');
    Out.push_back(pathBelow(Root, Path));
    const std::optional<Known> Now = find(Out.back());
    if (!Now || Now->Digest != Digest)
      return std::nullopt;
  }
}

std::string spmd::lint::toolIdentity(const char *Program) {
  const std::string Self = sys::fs::getMainExecutable(
      Program, reinterpret_cast<void *>(&toolIdentity));
  const std::optional<std::string> Contents = digestOf(Self);
  return Contents ? *Contents + clang::getClangFullVersion() : "";
}

std::string spmd::lint::entryFile(StringRef Folder, StringRef Name) {
  SmallString<256> Path(Folder);
  sys::path::append(Path, "llvmcache-" + Name);
  return Path.str().str();
}

void spmd::lint::writeEntry(StringRef Path, StringRef Text) {
  if (sys::fs::create_directories(sys::path::parent_path(Path)))
    return;
  consumeError(writeToOutput(Path, [&](raw_ostream &OS) {
    OS << Text;
    return Error::success();
  }));
}
