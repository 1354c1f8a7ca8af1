//===- CacheEntry.cpp - What names an entry and makes it stale ------------===//

#include "CacheEntry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace llvm;
using namespace spmd::lint;

Digest &Digest::operator<<(StringRef Part) {
  Hash.update((Twine(Part.size()) + ":").str());
  Hash.update(Part);
  return *this;
}

std::string Digest::str() { return toHex(Hash.final(), /*LowerCase=*/true); }

static constexpr std::int64_t Whenever =
    std::numeric_limits<std::int64_t>::max();

static std::int64_t nanoseconds(sys::TimePoint<> Time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             Time.time_since_epoch())
      .count();
}

static std::optional<std::string> stamp(StringRef Path, std::int64_t Before) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) || Path.contains('\n'))
    return std::nullopt;
  const std::int64_t Written = nanoseconds(Status.getLastModificationTime());
  if (Written >= Before)
    return std::nullopt;
  return (Twine(Written) + " " + Twine(Status.getSize()) + " " + Path).str();
}

std::optional<std::string> spmd::lint::stampFiles(ArrayRef<std::string> Files,
                                                  sys::TimePoint<> Before) {
  std::string Text;
  for (const std::string &File : Files) {
    const std::optional<std::string> Line = stamp(File, nanoseconds(Before));
    if (!Line)
      return std::nullopt;
    Text += *Line + "\n";
  }
  return Text + "\n";
}

std::optional<std::vector<std::string>>
spmd::lint::unchangedFiles(StringRef &Entry) {
  std::vector<std::string> Files;
  while (true) {
    auto [Line, After] = Entry.split('\n');
    Entry = After;
    if (Line.empty())
      return Files;
    const StringRef Path = Line.split(' ').second.split(' ').second;
    if (stamp(Path, Whenever) != Line)
      return std::nullopt;
    Files.push_back(Path.str());
  }
}

std::string spmd::lint::toolIdentity(const char *Program) {
  const std::string Self = sys::fs::getMainExecutable(
      Program, reinterpret_cast<void *>(&toolIdentity));
  return stamp(Self, Whenever).value_or("");
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
