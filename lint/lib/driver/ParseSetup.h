//===- ParseSetup.h - Clang, set up for one of our parses -------*- C++ -*-===//

#ifndef SPMD_LINT_LIB_DRIVER_PARSESETUP_H
#define SPMD_LINT_LIB_DRIVER_PARSESETUP_H

#include "LintJob.h"

#include "clang/Frontend/CompilerInstance.h"

namespace spmd::lint {

/// A view of the disk of this thread alone: it has a working directory.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
fileSystem(llvm::StringRef Directory, const FileOverlay &Overlay);

/// Null when the command makes no sense. Bodies of functions are skipped but
/// for those that the consumer wants; every error goes to \p Errors.
std::unique_ptr<clang::CompilerInstance>
compilerFor(llvm::ArrayRef<std::string> Args,
            llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> FS,
            clang::DiagnosticConsumer &Errors);

/// Absolute paths of all files that Clang looked up.
std::vector<std::string> filesRead(clang::FileManager &Files);

} // namespace spmd::lint

#endif // SPMD_LINT_LIB_DRIVER_PARSESETUP_H
