//===- RankGroups.h - Axes that a file makes of lists of ranks --*- C++ -*-===//

#ifndef SPMD_LINT_ANNOTATIONS_RANKGROUPS_H
#define SPMD_LINT_ANNOTATIONS_RANKGROUPS_H

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringRef.h"

namespace spmd::lint {

/// Whether code outside of system headers calls `mesh.group("<name>", …)`: an
/// axis that no mesh has.
bool makesRankGroup(clang::ASTContext &Ctx, llvm::StringRef Name);

} // namespace spmd::lint

#endif // SPMD_LINT_ANNOTATIONS_RANKGROUPS_H
