//===- ScanAttributes.h - Attributes that the parser dropped ----*- C++ -*-===//

#ifndef SPMD_LINT_ANNOTATIONS_SCANATTRIBUTES_H
#define SPMD_LINT_ANNOTATIONS_SCANATTRIBUTES_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace clang {
class LangOptions;
class SourceManager;
} // namespace clang

namespace spmd::lint {

struct UnknownAttribute {
  clang::SourceLocation Loc; ///< of the name behind `spmd::`
  std::string Name;
};

bool isKnownAttribute(llvm::StringRef Name);

/// The `[[spmd::name]]` in the text of a file whose name is not one of ours.
/// The parser drops them with at most a warning, which most builds turn off
/// for the sake of other compilers.
std::vector<UnknownAttribute> scanAttributes(clang::FileID File,
                                             const clang::SourceManager &SM,
                                             const clang::LangOptions &Opts);
std::string unknownAttribute(llvm::StringRef Name); ///< the message

} // namespace spmd::lint

#endif // SPMD_LINT_ANNOTATIONS_SCANATTRIBUTES_H
