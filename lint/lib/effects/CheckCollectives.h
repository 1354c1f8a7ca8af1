//===- CheckCollectives.h - Whether all ranks make the same calls -*- C++ -*-=//

#ifndef SPMD_LINT_EFFECTS_CHECKCOLLECTIVES_H
#define SPMD_LINT_EFFECTS_CHECKCOLLECTIVES_H

#include "spmd/lint/LintResult.h"

#include "llvm/ADT/DenseSet.h"

namespace clang {
class ASTContext;
class Stmt;
} // namespace clang

namespace spmd::lint {

struct FileMatches;
class OwnFiles;

/// Adds what is wrong with the collectives of a file that has some, annotated
/// or not. \p Axes: what it names; \p Differing: what its types say to differ
/// between ranks.
void checkCollectives(clang::ASTContext &Ctx, const Config &Cfg,
                      const FileMatches &File, OwnFiles &Own,
                      llvm::ArrayRef<std::string> Axes,
                      const llvm::DenseSet<const clang::Stmt *> &Differing,
                      LintResult &Result);

} // namespace spmd::lint

#endif // SPMD_LINT_EFFECTS_CHECKCOLLECTIVES_H
