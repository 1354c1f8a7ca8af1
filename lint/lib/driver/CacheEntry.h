//===- CacheEntry.h - What names an entry and makes it stale ----*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_CACHEENTRY_H
#define SPMD_LINT_LIB_DRIVER_CACHEENTRY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/SHA256.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace spmd::lint {

/// Parts with their lengths, so that no two lists have one digest.
class Digest {
public:
  Digest &operator<<(llvm::StringRef Part);
  std::string str();

private:
  llvm::SHA256 Hash;
};

/// The file that pathFrom() names \p Path.
std::string pathBelow(llvm::StringRef Folder, llvm::StringRef Path);

/// What entries say of files: the digest of their contents, whatever their age,
/// so that a cache is good in a fresh clone and on another machine. Each file
/// is read once in a run, as long as nobody writes to it. Safe to call from
/// several threads.
class FileStamps {
public:
  /// "digest path" of each file, one a line, and an empty line; paths as seen
  /// from \p Root. Nothing when one is gone or was written after \p Before.
  std::optional<std::string> write(llvm::ArrayRef<std::string> Files,
                                   llvm::sys::TimePoint<> Before,
                                   llvm::StringRef Root = "");
  /// The paths of what write() wrote at the head of \p Entry, which is cut off;
  /// nothing when a file is not as it was.
  std::optional<std::vector<std::string>> read(llvm::StringRef &Entry,
                                               llvm::StringRef Root = "");

private:
  struct Known {
    llvm::sys::TimePoint<> Written;
    std::uint64_t Size = 0;
    std::string Digest;
  };
  std::optional<Known> find(const std::string &Path);

  std::mutex Lock;
  std::map<std::string, Known> Files;
};

/// Identifies the program by its contents and its Clang: another build may find
/// something else. Empty when it cannot be found.
std::string toolIdentity(const char *Program);

/// The path of the entry \p Name. Its prefix is the one by which LLVM's
/// pruning knows what it may delete.
std::string entryFile(llvm::StringRef Folder, llvm::StringRef Name);

/// Written beside and renamed: a reader sees a whole entry or none. Creates the
/// folder; one that cannot be written keeps nothing.
void writeEntry(llvm::StringRef Path, llvm::StringRef Text);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_CACHEENTRY_H
