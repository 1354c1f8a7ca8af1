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
  clang::SourceLocation Loc; ///< of the name, or of a scope that is not ours
  std::string Scope, Name;
};

bool isKnownAttribute(llvm::StringRef Name);

/// `spdm`: what may begin an attribute that looks like ours.
bool isSlipOfScope(llvm::StringRef Scope);

/// Whether this is nobody's attribute but a slip of the pen for one of ours:
/// `spmd::tpye`, `spdm::type`.
bool looksLikeOurs(llvm::StringRef Scope, llvm::StringRef Name);

/// The attributes in the text of a file that look like ours and are not.
/// The parser drops them with at most a warning, which most builds turn off
/// for the sake of other compilers.
std::vector<UnknownAttribute> scanAttributes(clang::FileID File,
                                             const clang::SourceManager &SM,
                                             const clang::LangOptions &Opts);
/// The message.
std::string unknownAttribute(llvm::StringRef Scope, llvm::StringRef Name);

} // namespace spmd::lint

#endif // SPMD_LINT_ANNOTATIONS_SCANATTRIBUTES_H
