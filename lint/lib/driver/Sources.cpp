//===- Sources.cpp - The files of a run -----------------------------------===//

#include "Sources.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace spmd::lint;

static bool isSource(StringRef Path) {
  return StringSwitch<bool>(sys::path::extension(Path))
      .Cases({".c", ".cpp", ".cc", ".cxx", ".c++", ".C", ".cu"}, true)
      .Default(false);
}

static bool isHeader(StringRef Path) {
  return StringSwitch<bool>(sys::path::extension(Path))
      .Cases({".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".cuh"}, true)
      .Default(false);
}

bool spmd::lint::isCode(StringRef Path) {
  return isSource(Path) || isHeader(Path);
}

/// Build trees and version control hold copies and generated code.
static bool isSkipped(StringRef Folder) {
  StringRef Name = sys::path::filename(Folder);
  if (Name.starts_with(".") || Name == "node_modules" || Name == "CMakeFiles")
    return true;
  SmallString<128> Cache(Folder);
  sys::path::append(Cache, "CMakeCache.txt");
  return sys::fs::exists(Cache);
}

/// A file is read more than once: what waits for a writer is none.
static bool isPipe(sys::fs::file_type Type) {
  return Type == sys::fs::file_type::fifo_file ||
         Type == sys::fs::file_type::socket_file;
}

static void walk(const std::string &Root, Sources &Out) {
  std::vector<std::string> Found, Headers;
  std::error_code EC;
  // Links are not followed: they may lead back up.
  for (sys::fs::recursive_directory_iterator It(Root, EC, false), End;
       It != End; It.increment(EC)) {
    if (EC) {
      Out.Unreadable.push_back(It->path() + ": " + EC.message());
      EC.clear();
      continue;
    }
    if (It->type() == sys::fs::file_type::directory_file) {
      if (isSkipped(It->path()))
        It.no_push();
    } else if (isPipe(It->type())) {
      continue;
    } else if (isSource(It->path())) {
      Found.push_back(It->path());
    } else if (isHeader(It->path())) {
      Headers.push_back(It->path());
    }
  }
  // A library may be nothing else.
  if (Found.empty())
    Found = std::move(Headers);
  if (EC)
    Out.Unreadable.push_back(Root + ": " + EC.message());
  else if (Found.empty())
    Out.Empty.push_back(Root);
  llvm::sort(Found); // a folder's own order is the file system's
  llvm::append_range(Out.Files, Found);
}

Sources spmd::lint::collectSources(ArrayRef<std::string> Inputs) {
  Sources Out;
  for (const std::string &Input : Inputs) {
    SmallString<256> Path(Input);
    sys::fs::make_absolute(Path);
    sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
    sys::fs::file_status Status;
    if (std::error_code EC = sys::fs::status(Path, Status)) {
      Out.Unreadable.push_back(Input + ": " + EC.message());
    } else if (isPipe(Status.type())) {
      Out.Unreadable.push_back(
          Input + ": not a file; --stdin lints what another program writes");
    } else if (sys::fs::is_directory(Status)) {
      walk(Path.str().str(), Out);
    } else {
      Out.Files.push_back(Path.str().str());
    }
  }
  StringSet<> Seen;
  llvm::erase_if(Out.Files,
                 [&](const std::string &F) { return !Seen.insert(F).second; });
  return Out;
}
