//===- CheckCollectives.h - Whether all ranks make the same calls -*- C++ -*-=//

#ifndef SPMD_LINT_EFFECTS_CHECKCOLLECTIVES_H
#define SPMD_LINT_EFFECTS_CHECKCOLLECTIVES_H

#include "TypedNodes.h"
#include "spmd/collectives/Finding.h"

#include "spmd/lint/LintResult.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace clang {
class ASTContext;
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
  /// By the number of what is typed: where its types are.
  std::vector<TypesAt> Typed;
};

/// \p Axes: what the file names; \p Typed: of which expressions settle() will
/// hear; \p ForProgram: linkEffects() follows.
KeptEffects lowerEffects(clang::ASTContext &Ctx, const Config &Cfg,
                         const FileMatches &File, OwnFiles &Own,
                         llvm::ArrayRef<std::string> Axes,
                         const TypedNodes &Typed, bool ForProgram);

/// Several files as one.
KeptEffects linkEffects(llvm::ArrayRef<const KeptEffects *> Files);

/// Takes what types say to differ between the ranks of the only axis there is.
void settle(KeptEffects &Of, llvm::function_ref<bool(TypeAt)> Differs);

/// Adds what is wrong with the collectives, annotated or not.
void checkCollectives(const KeptEffects &Of, const Config &Cfg,
                      LintResult &Result);

} // namespace spmd::lint

#endif // SPMD_LINT_EFFECTS_CHECKCOLLECTIVES_H
