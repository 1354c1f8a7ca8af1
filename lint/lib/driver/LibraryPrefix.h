//===- LibraryPrefix.h - The headers that files begin with ------*- C++ -*-===//
//
// `#include <torch/torch.h>` takes seconds and says the same in every file.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LIB_DRIVER_LIBRARYPREFIX_H
#define SPMD_LINT_LIB_DRIVER_LIBRARYPREFIX_H

#include "CacheEntry.h"
#include "LintJob.h"

#include "llvm/ADT/StringMap.h"

#include <mutex>

namespace spmd::lint {

/// What a command includes by force, and the `#include <…>` at the top of a
/// main file, as Clang's precompiled header.
struct LibraryPrefix {
  std::string Path; ///< its name in the file system of a parse
  std::unique_ptr<llvm::MemoryBuffer> AST;
  std::vector<std::string> FilesRead;
  /// Those of them that declare something and are no system headers: where one
  /// is the user's own, its functions are to be analysed, so it is parsed.
  std::vector<std::string> Declaring;
};

/// Parses each prefix once, then hands it out. One that a single file begins
/// with, for the first time, is not worth it; it is kept in a folder for later
/// runs, or in memory. What commands include by force is one by itself for
/// files that otherwise begin each in their own way. Safe to use from several
/// threads.
class PrefixCache {
public:
  /// Kept in memory only with an empty \p Folder. \p Program is argv[0].
  PrefixCache(std::string Folder, const char *Program);

  /// A prefix for one file, and how many bytes of the file it stands for.
  struct Use {
    std::shared_ptr<const LibraryPrefix> Prefix; ///< null: parse all of it
    unsigned Bytes = 0;
    /// The header that was compiled. Clang asks for it where it looks up
    /// whether a warning is on.
    std::string Source;
  };

  /// Announces files, so that what they share is known to be shared.
  void expect(llvm::ArrayRef<LintJob> Jobs, const FileOverlay &Overlay);
  /// Parses the prefix if it has to be; files that other threads ask for
  /// meanwhile are parsed without.
  Use find(const LintJob &Job, const FileOverlay &Overlay);

private:
  struct Entry {
    unsigned Expected = 0;
    bool Begun = false; ///< read or made, or about to be
    std::shared_ptr<const LibraryPrefix> Prefix;
  };

  /// The prefix of that name, which stands for \p Headers behind what the job's
  /// command includes; null where it is not made. \p Remember: that somebody
  /// asked is a reason to make it the next time.
  std::shared_ptr<const LibraryPrefix>
  obtain(llvm::StringRef Key, const LintJob &Job,
         llvm::ArrayRef<std::string> Headers, bool Remember);
  std::shared_ptr<const LibraryPrefix> read(llvm::StringRef Key) const;
  void write(llvm::StringRef Key, const LibraryPrefix &Prefix,
             llvm::sys::TimePoint<> Begun) const;
  /// Whether an earlier run asked for it; if not, the next will know.
  bool wasSeen(llvm::StringRef Key) const;

  std::string Folder;
  std::string ToolIdentity;
  mutable FileStamps Stamps;
  std::mutex Lock;
  llvm::StringMap<Entry> Known;
};

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_LIBRARYPREFIX_H
