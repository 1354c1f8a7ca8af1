//===- CheckCollectives.h - Whether all ranks make the same calls -*- C++ -*-=//

#ifndef SPMD_LINT_EFFECTS_CHECKCOLLECTIVES_H
#define SPMD_LINT_EFFECTS_CHECKCOLLECTIVES_H

#include "spmd/collectives/Finding.h"
#include "spmd/lint/LintResult.h"

#include "llvm/ADT/DenseSet.h"

namespace clang {
class ASTContext;
class Stmt;
} // namespace clang

namespace spmd::lint {

struct FileMatches;
class OwnFiles;

/// What a file that communicates does, without its AST.
struct KeptEffects {
  collectives::EffectProgram P;
  std::vector<Place> Places; ///< by the number of a site
  /// Calls that reduce a buffer of one type as one of another.
  std::vector<collectives::Finding> Mistyped;
  unsigned Collectives = 0; ///< calls
};

/// \p Axes: what the file names; \p Differing: what its types say to differ
/// between ranks; \p ForProgram: linkEffects() follows.
KeptEffects lowerEffects(clang::ASTContext &Ctx, const Config &Cfg,
                         const FileMatches &File, OwnFiles &Own,
                         llvm::ArrayRef<std::string> Axes,
                         const llvm::DenseSet<const clang::Stmt *> &Differing,
                         bool ForProgram);

/// Several files as one.
KeptEffects linkEffects(llvm::ArrayRef<const KeptEffects *> Files);

/// Adds what is wrong with the collectives, annotated or not.
void checkCollectives(const KeptEffects &Of, const Config &Cfg,
                      LintResult &Result);

} // namespace spmd::lint

#endif // SPMD_LINT_EFFECTS_CHECKCOLLECTIVES_H
