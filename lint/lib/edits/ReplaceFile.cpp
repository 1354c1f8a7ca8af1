//===- ReplaceFile.cpp - All of a file or nothing -------------------------===//

#include "spmd/lint/Fixes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static Error failure(StringRef Path, std::error_code EC) {
  return createStringError(EC, Path + ": not changed: " + EC.message());
}

Error spmd::lint::replaceFile(StringRef Path, StringRef Text) {
  SmallString<256> Real;
  if (std::error_code EC = sys::fs::real_path(Path, Real))
    return failure(Path, EC);
  // Renaming over a file needs no right to write to it: ask for that first.
  if (std::error_code EC = sys::fs::access(Real, sys::fs::AccessMode::Write))
    return failure(Path, EC);
  ErrorOr<sys::fs::perms> Mode = sys::fs::getPermissions(Real);
  if (!Mode)
    return failure(Path, Mode.getError());

  // In the same folder: a rename does not cross file systems.
  Expected<sys::fs::TempFile> Temporary =
      sys::fs::TempFile::create(Real + ".spmd-tidy-%%%%%%", *Mode);
  if (!Temporary)
    return failure(Path, errorToErrorCode(Temporary.takeError()));
  std::error_code EC;
  {
    raw_fd_ostream OS(Temporary->FD, /*shouldClose=*/false);
    OS << Text;
    OS.flush();
    EC = OS.error();
    OS.clear_error();
  }
  // The mode given above is subject to the umask.
  if (!EC)
    EC = sys::fs::setPermissions(Temporary->FD, *Mode);
  if (!EC) {
    if (Error E = Temporary->keep(Real))
      EC = errorToErrorCode(std::move(E));
    else
      return Error::success();
  }
  consumeError(Temporary->discard());
  return failure(Path, EC);
}
