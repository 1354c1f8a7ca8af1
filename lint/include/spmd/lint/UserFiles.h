//===- UserFiles.h - Whose code a file is -----------------------*- C++ -*-===//

#ifndef SPMD_LINT_USERFILES_H
#define SPMD_LINT_USERFILES_H

#include "spmd/lint/Config.h"

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Regex.h"

namespace clang {
class ASTContext;
class Decl;
class FileManager;
class SourceManager;
} // namespace clang

namespace spmd::lint {

/// Tells the user's own headers from those of libraries. A header is the
/// user's when it is below the project (the folder of the outermost
/// `.spmd-tidy`, else the repository, else the main file's folder) and not in a
/// folder for vendored code, or when HeaderFilter matches its path.
class UserFiles {
public:
  UserFiles(const Config &Cfg, llvm::StringRef MainFile);

  bool contains(llvm::StringRef AbsolutePath) const;

private:
  std::string Root; ///< with a separator at its end
  llvm::Regex Filter;
  bool HasFilter;
};

/// Which files of a translation unit are the user's: the main file, and the
/// headers of which \p IsUserHeader says so, by absolute path.
class OwnFiles {
public:
  explicit OwnFiles(std::function<bool(llvm::StringRef)> IsUserHeader)
      : IsUserHeader(std::move(IsUserHeader)) {}

  bool contains(const clang::SourceManager &SM, clang::FileID File);
  /// Where \p Loc is in the end, if a macro wrote it.
  bool contains(const clang::SourceManager &SM, clang::SourceLocation Loc);

private:
  std::function<bool(llvm::StringRef)> IsUserHeader;
  llvm::DenseMap<clang::FileID, bool> Known;
};

/// The declarations at the top of \p Ctx that are in own files: other people's
/// headers are most of a translation unit.
void forEachOwnDecl(clang::ASTContext &Ctx, OwnFiles &Own,
                    llvm::function_ref<void(clang::Decl *)> Visit);

/// The path that places name a file by: absolute, without `.` and `..`.
std::string absolutePath(const clang::FileManager &Files, llvm::StringRef Name);

} // namespace spmd::lint

#endif // SPMD_LINT_USERFILES_H
