//===- DoubtOfCommands.cpp - Whether compile commands may be stale --------===//
//
// A missing header is what stale compile commands look like: nothing that
// depends on it is analysed, which would pass for silence. The database is
// looked for where clangd does: beside the file and upward, in `build` too.
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/CompileCommands.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// The nearest of \p Names in the folder of \p File or above.
static std::string nearest(llvm::StringRef File,
                           llvm::ArrayRef<llvm::StringRef> Names) {
  for (llvm::StringRef Folder = path::parent_path(File); !Folder.empty();
       Folder = path::parent_path(Folder))
    for (llvm::StringRef Name : Names) {
      llvm::SmallString<256> Path(Folder);
      path::append(Path, Name);
      if (fs::exists(Path))
        return Path.str().str();
    }
  return {};
}

static bool isOlder(llvm::StringRef A, llvm::StringRef B) {
  fs::file_status OfA, OfB;
  return !fs::status(A, OfA) && !fs::status(B, OfB) &&
         OfA.getLastModificationTime() < OfB.getLastModificationTime();
}

std::string spmd::lint::databaseOf(llvm::StringRef File) {
  return nearest(File, {"compile_commands.json", "build/compile_commands.json",
                        "compile_flags.txt"});
}

std::string spmd::lint::doubtOfCommands(llvm::StringRef File) {
  const std::string Database = databaseOf(File);
  if (Database.empty())
    return "there is no compile_commands.json above this file: write one with "
           "CMAKE_EXPORT_COMPILE_COMMANDS, or put the flags into a "
           "compile_flags.txt";
  if (path::filename(Database) == "compile_flags.txt")
    return "its flags are those of " + Database + ": add the missing -I there";
  const std::string Lists = nearest(File, {"CMakeLists.txt"});
  if (!Lists.empty() && isOlder(Database, Lists))
    return Database + " is older than " + Lists + ": run cmake again";
  auto Text = llvm::MemoryBuffer::getFile(Database);
  if (Text && !(*Text)->getBuffer().contains(path::filename(File)))
    return Database + " does not name this file, so its flags are guessed "
                      "from those of others: run cmake again";
  return "";
}
