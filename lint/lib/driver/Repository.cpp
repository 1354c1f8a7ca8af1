//===- Repository.cpp - Where the repository around a folder is -----------===//

#include "Repository.h"

#include "spmd/lint/Diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace spmd::lint;

/// A file in the place of the folder `.git` is that of a work tree.
std::string spmd::lint::repositoryRoot(StringRef Folder) {
  for (; !Folder.empty(); Folder = sys::path::parent_path(Folder)) {
    SmallString<256> Git(Folder);
    sys::path::append(Git, ".git");
    if (sys::fs::exists(Git))
      return Folder.str();
  }
  return {};
}

std::string spmd::lint::diffFolder(StringRef WorkingDirectory,
                                   ArrayRef<StringRef> Files) {
  const auto HasAll = [&](StringRef Folder) {
    return llvm::all_of(Files, [&](StringRef File) {
      return pathFrom(Folder, File).size() != File.size();
    });
  };
  if (HasAll(WorkingDirectory))
    return WorkingDirectory.str();
  std::string Root = repositoryRoot(WorkingDirectory);
  return !Root.empty() && HasAll(Root) ? Root : "/";
}
