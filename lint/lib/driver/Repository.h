//===- Repository.h - Where the repository around a folder is ---*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_REPOSITORY_H
#define SPMD_LINT_LIB_DRIVER_REPOSITORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace spmd::lint {

/// The root of the repository that \p Folder is in; empty in none.
std::string repositoryRoot(llvm::StringRef Folder);

/// The folder that names in a diff of \p Files are relative to: the working
/// directory if all are below it, else the root of its repository, else "/".
std::string diffFolder(llvm::StringRef WorkingDirectory,
                       llvm::ArrayRef<llvm::StringRef> Files);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_REPOSITORY_H
